import Foundation
import ObjectContext
import StoreContract

/// What `@Model` makes new models with.
extension ModelObject {
  /// The object of a new model, without a context; while a model is being made for an object, that
  /// one.
  public static func detached<Model: PersistentModel>(_ type: Model.Type) -> ModelObject {
    Materialization.take(type) ?? ModelObject(Seed(detached: ModelSchema.of(type).prototype))
  }

  /// The object, for the initialiser of a superclass that is a model too.
  public func forSuperclass<Model: PersistentModel>(of type: Model.Type) -> ModelObject {
    Materialization.turn(self, toSuperclassOf: type)
    return self
  }

  /// Brings what a superclass's initialisers wrote together with what the class's own did.
  ///
  /// - Parameters:
  ///   - own: The object with the properties of the whole class.
  ///   - inherited: The object that the superclass has.
  /// - Returns: The object that both classes share from now on.
  public static func joined(
    _ own: inout ModelObject, _ inherited: @autoclosure () -> ModelObject
  ) -> ModelObject {
    if own.isJoined { return own }
    let other = inherited()
    if other === own {
      own.isJoined = true
    } else if other.entity.propertyCount >= own.entity.propertyCount {
      own = other
      own.isJoined = true
    } else {
      own.takeOver(other)
      own.detachedRelationships = other.detachedRelationships + own.detachedRelationships
      for destination in other.detachedRelationships.flatMap(\.destinations) {
        let followers = destination._$object.followers
        for place in followers.indices where followers[place] === other {
          destination._$object.followers[place] = own
        }
      }
      own.isJoined = true
    }
    return own
  }
}

/// Which object a model is being made for on this thread, so that the default values of its
/// properties are not taken for values of a new one.
enum Materialization {
  private struct State {
    var type: ObjectIdentifier
    var object: ModelObject
  }

  // The key is made once; its value is per thread.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Makes the model of an object.
  static func of<Model: PersistentModel>(
    _ object: ModelObject, as type: Model.Type, _ make: () -> Model
  ) -> Model {
    let outer = pthread_getspecific(key)
    object.isMaterializing = true
    var state = State(type: ObjectIdentifier(type), object: object)
    return withUnsafeMutablePointer(to: &state) { state in
      pthread_setspecific(key, state)
      defer {
        pthread_setspecific(key, outer)
        object.isMaterializing = false
      }
      return make()
    }
  }

  /// The object that is waiting for a model of exactly this class, once.
  @inline(__always)
  static func take<Model: PersistentModel>(_ type: Model.Type) -> ModelObject? {
    guard let place = pthread_getspecific(key) else { return nil }
    let state = place.assumingMemoryBound(to: State.self)
    guard state.pointee.type == ObjectIdentifier(type) else { return nil }
    state.pointee.type = ObjectIdentifier(Materialization.self)
    return state.pointee.object
  }

  /// Lets the superclass have the object too.
  static func turn<Model: PersistentModel>(_ object: ModelObject, toSuperclassOf type: Model.Type) {
    guard let place = pthread_getspecific(key), let superclass = _getSuperclass(type) else { return }
    let state = place.assumingMemoryBound(to: State.self)
    if state.pointee.object === object { state.pointee.type = ObjectIdentifier(superclass) }
  }
}
