import ObjectContext
public import Observation

/// The models of a descriptor, which follow changes: for lists on a screen.
///
/// Models that change in the context are evaluated in memory and moved to their position; what
/// others save, in other processes too, shows once the context has merged it (a container's
/// `mainContext` does at once). `@Observable`: views that read `results` observe changes. Lives
/// where its context does.
public final class ResultsObserver<Model: PersistentModel> {
  private let context: ModelContext
  private let controller: FetchedResultsController<ModelObject>

  /// Fetches the models of a descriptor and keeps them up to date.
  ///
  /// One statement.
  /// - Throws: as `ModelContext.fetch(_:)`.
  public init(_ descriptor: FetchDescriptor<Model> = FetchDescriptor(), in context: ModelContext) throws {
    self.context = context
    controller = try context.run(descriptor) { request in
      let controller = try FetchedResultsController(request, in: context.engine, as: ModelObject.self)
      try controller.performFetch()
      return controller
    }
  }

  /// The models, in the descriptor's order.
  public var results: [Model] { ModelObject.shown(controller.fetchedObjects, as: Model.self) }
  /// The number of models.
  public var count: Int { controller.fetchedObjects.count }
  /// Why the last change could not be shown; nil when all went well.
  public var failure: (any Error)? { controller.failure }

  /// Called after each change of the list or of a model in it.
  public var onChange: (() -> Void)? { didSet { listen() } }
  /// Called after each change with what happened to the list, in the order in which a list on a
  /// screen can follow.
  public var onChanges: (([ResultsChange<Model>]) -> Void)? { didSet { listen() } }

  private func listen() {
    guard onChange != nil || onChanges != nil else {
      controller.onChange = nil
      return
    }
    // The controller is deallocated with this object, and must not retain it.
    controller.onChange = { [unowned self] changes in
      onChange?()
      onChanges?(changes.compactMap(Self.typed))
    }
  }

  /// There is one section, which is not reported.
  private static func typed(_ change: FetchedResultsChange<ModelObject>) -> ResultsChange<Model>? {
    switch change {
    case .insert(let object, let place): .insert(object.shown(as: Model.self), at: place.item)
    case .delete(let object, let place): .delete(PersistentIdentifier(object.objectID), from: place.item)
    case .move(let object, let from, let to):
      .move(object.shown(as: Model.self), from: from.item, to: to.item)
    case .update(let object, let place): .update(object.shown(as: Model.self), at: place.item)
    case .insertSection, .deleteSection: nil
    }
  }
}

// The controller notifies observers.
extension ResultsObserver: Observable {}
