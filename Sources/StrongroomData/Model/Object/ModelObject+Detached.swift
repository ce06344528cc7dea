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
  /// What waits for its model.
  struct Waiting {
    /// The class whose initialiser takes the object; nil once it did.
    fileprivate var type: ObjectIdentifier?
    /// Not retained: whoever makes the model retains the object.
    fileprivate var object: Unmanaged<ModelObject>?
  }

  // The key is made once; its value is per thread, and freed with the thread.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { $0?.deallocate() }
    return key
  }()

  private static var waiting: UnsafeMutablePointer<Waiting>? {
    pthread_getspecific(key)?.assumingMemoryBound(to: Waiting.self)
  }

  private static func makeWaiting() -> UnsafeMutablePointer<Waiting> {
    let made = UnsafeMutablePointer<Waiting>.allocate(capacity: 1)
    made.initialize(to: Waiting())
    pthread_setspecific(key, made)
    return made
  }

  /// Lets the next model of a class take an object; returns what waited before, for `end(_:)`.
  static func begin(_ object: ModelObject, as type: Any.Type) -> Waiting {
    let place = waiting ?? makeWaiting()
    let outer = place.pointee
    place.pointee = Waiting(type: ObjectIdentifier(type), object: .passUnretained(object))
    return outer
  }

  static func end(_ outer: Waiting) { waiting?.pointee = outer }

  /// The object that is waiting for a model of exactly this class, once.
  static func take(_ type: Any.Type) -> ModelObject? {
    guard let place = waiting, place.pointee.type == ObjectIdentifier(type) else { return nil }
    place.pointee.type = nil
    return place.pointee.object?.takeUnretainedValue()
  }

  /// Lets the superclass have the object too.
  static func turn(_ object: ModelObject, toSuperclassOf type: AnyClass) {
    guard let place = waiting, let superclass = _getSuperclass(type),
      place.pointee.object?.toOpaque() == Unmanaged.passUnretained(object).toOpaque()
    else { return }
    place.pointee.type = ObjectIdentifier(superclass)
  }
}
