public import ObjectContext
public import Observation
import StoreContract

/// The engine's object that stores a model's properties, with a weak reference to the model.
///
/// Public because what `@Model` writes uses it; programs have no need of it.
public final class ModelObject: ManagedObject {
  // Weak, since the model holds the object.
  @exclusivity(unchecked) private var weakModel = WeakModel()
  /// Whether a model was set; it may have been deallocated since.
  @exclusivity(unchecked) @usableFromInline var hasModel = false
  /// Whether a model is being made for the object, so that default values must not be written.
  @exclusivity(unchecked) @usableFromInline var isMaterializing = false
  /// The index of the property that the model is setting, -1 for none: it notifies the property's
  /// observers itself.
  @exclusivity(unchecked) var written: Int32 = -1
  @exclusivity(unchecked) var isJoined = false
  /// Whether it belongs to a model that only shows which property a key path reads.
  @exclusivity(unchecked) var isProbe = false
  /// Made when a property is first tracked.
  @exclusivity(unchecked) @usableFromInline var tracked: TrackedProperties?
  /// The relationships' destinations while the object is in no context.
  @exclusivity(unchecked) var detachedRelationships: [DetachedRelationship] = []
  /// Detached objects whose relationships reference this one: they are inserted along with it.
  ///
  /// Retained, as an inverse would retain them, so that a graph which is never inserted stays in
  /// memory.
  @exclusivity(unchecked) var followers: [ModelObject] = []

  /// Called by contexts, and for models that are not inserted yet.
  public required init(_ seed: Seed) {
    super.init(seed)
    retainContext()
  }

  deinit {
    if let tracked { Tracking.retain(tracked) }
  }

  /// Notifies those who observe the model's properties.
  public var observationRegistrar: ObservationRegistrar {
    if let tracked { return tracked.registrar }
    let new = TrackedProperties()
    tracked = new
    reportsChanges = true
    return new.registrar
  }

  /// The model, unless it was deallocated.
  var model: AnyObject? { weakModel.model }

  /// Notifies those who observe a property that the engine changed it.
  public override func valuesDidChange(at index: Int?) {
    if let index, index == written { return }
    guard let registrar = tracked?.registrar, let model = observedModel else { return }
    let shape = ModelSchema.of(type(of: model))
    if let index {
      shape.properties[index].notify(model, registrar)
    } else {
      for property in shape.properties { property.notify(model, registrar) }
    }
  }

  /// The model that observers are notified with; made where the one they read was deallocated.
  private var observedModel: (any PersistentModel)? {
    if let model { return model as? any PersistentModel }
    guard let type = presentedType as? any PersistentModel.Type else { return nil }
    return shown(as: type)
  }

  /// The model that shows the object; made unless one exists.
  func shown<Model: PersistentModel>(as type: Model.Type) -> Model {
    if hasModel, let model { return unsafeDowncast(model, to: Model.self) }
    guard let type = presentedType, type != Model.self, let real = type as? any PersistentModel.Type
    else { return materialize(Model.self) }
    // The entity's class inherits from the one that is asked for.
    return unsafeDowncast(materialize(real) as AnyObject, to: Model.self)
  }

  /// Makes the model of an object that has none.
  func materialize<Model: PersistentModel>(_ type: Model.Type) -> Model {
    let outer = beginMaterializing(as: type)
    let made = Model(_$object: self)
    endMaterializing(outer)
    assert(made._$object === self, "the initialiser of \(type) did not take its object")
    note(made)
    return made
  }

  /// Lets the initialiser of a class take the object; returns what waited before.
  func beginMaterializing(as type: Any.Type) -> Materialization.Waiting {
    isMaterializing = true
    return Materialization.begin(self, as: type)
  }

  func endMaterializing(_ outer: Materialization.Waiting) {
    Materialization.end(outer)
    isMaterializing = false
  }

  /// Remembers which instance shows the object.
  @usableFromInline
  func note(_ model: AnyObject) {
    weakModel = WeakModel(model)
    hasModel = true
  }

  /// The models of objects of an entity that the class stands for.
  static func shown<Model: PersistentModel>(_ objects: [ModelObject], as type: Model.Type) -> [Model] {
    objects.map { $0.shown(as: type) }
  }
}

/// The registrar of a model whose properties are tracked.
///
/// In an object of its own: the size of a registrar is known only to the library that has it, and
/// every model would have to ask for it.
@usableFromInline
final class TrackedProperties {
  @usableFromInline let registrar = ObservationRegistrar()
}

/// One relationship of an object that no context has.
struct DetachedRelationship {
  let index: Int
  var destinations: [any PersistentModel]
}
