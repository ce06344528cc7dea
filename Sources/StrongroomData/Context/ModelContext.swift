import Foundation
public import ObjectContext
import ObjectModel

/// A scratch pad of models: inserts, fetches and deletes them, and saves what changed in one
/// transaction.
///
/// Not Sendable: use it and its models on one isolation. The context retains changed models until
/// they are saved; others live as long as the program references them. A context has one instance
/// of each model.
public final class ModelContext {
  let core: ContainerCore
  let engine: ManagedObjectContext
  /// Models initialised with a model of this context as a destination; inserted before the next
  /// call is answered.
  private var waiting: [ModelObject] = []
  private var isSaveScheduled = false
  /// How many classes were known when the graph's were set.
  private var knownTypeCount: Int
  /// Why the last autosave failed; nil when it succeeded.
  ///
  /// Its changes are still pending, and the next change schedules another autosave.
  public private(set) var autosaveFailure: (any Error)?
  /// The author of the changes: in the history, and for those who observe this context's saves.
  public var author: String? {
    get { engine.transactionAuthor }
    set {
      engine.transactionAuthor = newValue
      engine.name = newValue
    }
  }
  /// Who edits this context; its author is the context's.
  public var editingState: EditingState {
    get { EditingState(id: editor, author: author) }
    set {
      editor = newValue.id
      author = newValue.author
    }
  }
  private lazy var editor = UUID()
  /// Whether changes are saved automatically, soon after the code that makes them: on for a
  /// container's `mainContext`.
  ///
  /// Elsewhere at the end of the task's present step on the main actor, so set it there only.
  public var autosaveEnabled = false { didSet { watch() } }

  /// Makes a context on open stores.
  ///
  /// Issues no statement.
  convenience init(_ core: ContainerCore) {
    self.init(core, ManagedObjectContext(core.engine.persistentStoreCoordinator, isolation: nil))
  }

  init(_ core: ContainerCore, _ engine: ManagedObjectContext) {
    self.core = core
    self.engine = engine
    // A new model with a unique value that is stored updates the stored model. A relationship to a
    // model that was deleted elsewhere is cleared.
    engine.mergePolicy = .custom("StrongroomData") {
      if !$0.missingObjectIDs.isEmpty { return .mergeByPropertyStoreTrump }
      return $0.isConstraint ? .overwrite : .mergeByPropertyObjectTrump
    }
    knownTypeCount = core.knownTypeCount
    engine.graph.presentedTypes = core.presentedTypes
    engine.graph.host = self
    for store in core.customStores { store.withLock { store.dataStore.initializeState(for: editingState) } }
  }

  deinit {
    for store in core.customStores { store.withLock { store.dataStore.invalidateState(for: editingState) } }
    engine.graph.didReceiveChanges = nil
    engine.graph.hostWasDeallocated()
  }

  /// What can be undone; nil, as at first, when nothing is recorded.
  public var undoManager: UndoManager? {
    get { engine.undoManager }
    set { engine.undoManager = newValue }
  }

  // MARK: Changes

  /// Whether the next save has something to do.
  public var hasChanges: Bool {
    adoptWaiting()
    return engine.hasChanges
  }

  /// New models, in the order they were inserted.
  public var insertedModelsArray: [any PersistentModel] {
    adoptWaiting()
    return shown(engine.insertedObjects)
  }

  /// Changed models.
  public var changedModelsArray: [any PersistentModel] {
    adoptWaiting()
    return shown(engine.updatedObjects)
  }

  /// Models that the next save removes.
  public var deletedModelsArray: [any PersistentModel] { shown(engine.deletedObjects) }

  /// The number of models in memory, retained by this context for their changes or by the program.
  public var registeredModelCount: Int { engine.registeredObjectCount }

  private func shown(_ objects: [ManagedObject]) -> [any PersistentModel] {
    objects.compactMap { shown($0) }
  }

  /// The model of an object; nil where the class of its entity is not known.
  func shown(_ object: ManagedObject) -> (any PersistentModel)? {
    core.type(of: object.entity).map { show(object, as: $0) }
  }

  /// Lets the graph know the classes that were bound to entities since.
  func presentKnownTypes() {
    let count = core.knownTypeCount
    guard count != knownTypeCount else { return }
    knownTypeCount = count
    engine.graph.presentedTypes = core.presentedTypes
  }

  func show<Model: PersistentModel>(_ object: ManagedObject, as type: Model.Type) -> any PersistentModel {
    if core.bindsClasses { presentKnownTypes() }
    // Every entity of a container's model has this class.
    return unsafeDowncast(object, to: ModelObject.self).shown(as: type)
  }

  // MARK: Inserting and deleting

  /// Inserts a model, all models that it references, and all referencing models that are in no
  /// context, into this context; the next save stores them.
  ///
  /// Takes the deletion of a model back that was not saved: what its delete rules emptied stays
  /// empty, and what they deleted along stays deleted. Issues no statement.
  /// - Precondition: The model's class is in the container's schema, and no other context has it. Of a
  ///   schema made by hand: where the class does not fit the entity of its name, the model is not inserted,
  ///   and saves throw `SwiftDataError.unknownSchema` until
  ///   `rollback()`.
  public func insert<T: PersistentModel>(_ model: T) {
    adoptWaiting()
    take(model)
    if model._$object.graph === engine.graph { engine.graph.insertAgain(model._$object) }
  }

  /// Marks a model for removal by the next save, and follows its delete rules at once.
  ///
  /// Issues a statement for each relationship of the models it was fetched with. What cannot be
  /// read shows in the next `save()`. Nothing happens where it is deleted already, here or
  /// elsewhere.
  /// - Precondition: The model is in this context or in none.
  public func delete<T: PersistentModel>(_ model: T) {
    adoptWaiting()
    let object = model._$object
    guard let context = object.managedObjectContext else { return }
    precondition(
      context === engine,
      "a \(T.self) of another context cannot be deleted here; get it with model(for: its persistentModelID)")
    do { try engine.delete(object) } catch { engine.graph.recordFaultFailure(error) }
  }

  // MARK: Adopting

  /// Inserts a model with all that it references, and all referencing models.
  func take(_ model: any PersistentModel) {
    let object = model._$object
    if !object.hasModel { object.note(model) }
    if object.graph === engine.graph { return }
    adopt(object, type(of: model))
  }

  /// Without recursion: the graph behind a model may be long.
  private func adopt(_ first: ModelObject, _ type: any PersistentModel.Type) {
    guard enter(first, type) else { return }
    var entered = [first]
    var place = 0
    while place < entered.count {
      for link in entered[place].detachedRelationships {
        for destination in link.destinations {
          let object = destination._$object
          if !object.hasModel { object.note(destination) }
          if object.graph === engine.graph { continue }
          if enter(object, Swift.type(of: destination)) { entered.append(object) }
        }
      }
      let followers = entered[place].followers
      entered[place].followers = []
      for follower in followers where follower.isAdoptable {
        guard let type = core.type(ofDetached: follower) else { continue }
        if enter(follower, type) { entered.append(follower) }
      }
      place += 1
    }
    for object in entered where !object.detachedRelationships.isEmpty {
      let links = object.detachedRelationships
      object.detachedRelationships = []
      for link in links { connect(object, link) }
    }
  }

  private func connect(_ object: ModelObject, _ link: DetachedRelationship) {
    do {
      guard let property = core.shape(of: object.entity)?.properties[link.index],
        case .relationship(_, let isToMany, _) = property.kind
      else { return }
      if isToMany {
        try object.add(contentsOf: link.destinations.map { $0._$object }, to: property.name)
      } else if let destination = link.destinations.first {
        try object.setObject(destination._$object, forKey: property.name)
      }
    } catch {
      engine.graph.recordFaultFailure(error)
    }
  }

  /// - Returns: Whether the object is in this context now: not where its class does not fit a schema made
  ///   by hand.
  private func enter(_ object: ModelObject, _ type: any PersistentModel.Type) -> Bool {
    guard object.graph == nil else {
      preconditionFailure(
        "a \(type) of another context was given; get it here with model(for: its persistentModelID)")
    }
    guard object.isAdoptable else {
      preconditionFailure("a \(type) that was deleted and saved was given; make a new one")
    }
    guard let entity = entity(entering: type) else { return false }
    if object.isDeletedInStore { object.clearRelationships() }
    engine.graph.adopt(object, as: entity)
    return true
  }

  private func entity(entering type: any PersistentModel.Type) -> EntityDescription? {
    do {
      let entity = try core.entity(for: type)
      presentKnownTypes()
      return entity
    } catch {
      precondition(core.schema.isHandMade, "\(error.localizedDescription)")
      engine.graph.recordFaultFailure(error)
      return nil
    }
  }

  /// Inserts an object later: its model is still being initialised.
  func expect(_ object: ModelObject) {
    waiting.append(object)
    engine.graph.hasWaiting = true
    changed()
  }

  /// Inserts the models that were initialised with a model of this context as a destination.
  func adoptWaiting() {
    guard engine.graph.hasWaiting else { return }
    engine.graph.hasWaiting = false
    let objects = waiting
    waiting = []
    for object in objects where object.graph == nil && object.isAdoptable {
      take(object: object)
    }
  }

  /// Inserts an object whose model is not known.
  func take(object: ModelObject) {
    guard let type = core.type(ofDetached: object) else {
      preconditionFailure(
        "\(object.entity.name) is not in the container's schema; add it: ModelContainer(for:"
          + " \(object.entity.name).self)"
      )
    }
    adopt(object, type)
  }

  // MARK: Autosave

  private func watch() {
    engine.graph.didReceiveChanges = autosaveEnabled ? { [weak self] in self?.changed() } : nil
    engine.graph.reportsEveryChange = autosaveEnabled && autosaveFailure != nil
    if autosaveEnabled, engine.hasChanges { changed() }
  }

  private func changed() {
    guard autosaveEnabled, !isSaveScheduled else { return }
    isSaveScheduled = true
    let box = WeakContext(context: self)
    Task { @MainActor in box.context?.autosave() }
  }

  /// For closures that run on the main actor, where contexts with autosave live.
  private struct WeakContext: @unchecked Sendable {
    // @unchecked: the context is touched on the main actor only.
    weak var context: ModelContext?
  }

  private func autosave() {
    isSaveScheduled = false
    guard autosaveEnabled else { return }
    // What the save itself changes in models, as a merge does, schedules no other one.
    engine.graph.reportsEveryChange = false
    do {
      try save()
      autosaveFailure = nil
    } catch {
      autosaveFailure = error
      // The models still have their changes, so that a change to one of them is not their first.
      engine.graph.reportsEveryChange = autosaveEnabled
    }
  }
}

extension ModelContext: Equatable {
  /// Identity.
  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }
}

extension ModelContext: CustomDebugStringConvertible {
  /// The number of models that are new, changed and deleted; never a value.
  public var debugDescription: String {
    "ModelContext: \(engine.insertedObjects.count) new, \(engine.updatedObjects.count) changed, "
      + "\(engine.deletedObjects.count) deleted"
  }
}

@available(*, unavailable, message: "use a context where it was made, or a ModelActor")
extension ModelContext: @unchecked Sendable {}
