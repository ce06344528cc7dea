import ObjectContext
public import Observation

/// The models of a descriptor, which follow changes: for lists on a screen.
///
/// Models that change in the context are evaluated in memory and moved to their position; what
/// others save, in other processes too, shows once the context has merged it (a container's
/// `mainContext` does at once, and so does the context of an observer that was made with a container).
/// `@Observable`: views that read `results` or `sections` observe changes. Lives where its context does.
///
/// With a property to section by, `results` are ordered by it first, and `sections` has them by its values.
/// Without one the second type is `Never`.
@Observable
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable> {
  /// How results are divided.
  struct Sectioning {
    let path: PartialKeyPath<Element>
    /// One, in an array: release builds of a generic structure that stores a `SortDescriptor` do not link,
    /// since its copying refers to a private type of Foundation's (Swift 6.3 on Linux).
    let sortBy: [SortDescriptor<Element>]
    let title: (Element) -> SectionTitle
  }

  /// The context of the models.
  @ObservationIgnored public let modelContext: ModelContext
  /// What is fetched.
  ///
  /// The order of the results is that of the sections first.
  public private(set) var fetchDescriptor: FetchDescriptor<Element>
  private var controller: FetchedResultsController<ModelObject>
  /// Why the last descriptor is not what is shown.
  private var refusal: (any Error)?
  @ObservationIgnored private let sectioning: Sectioning?

  /// Called after each change of the list, of a model in it, or of `failure`.
  @ObservationIgnored public var onChange: (() -> Void)? { didSet { listen() } }
  /// Called after each change with what happened to the list, in the order in which a list on a
  /// screen can follow.
  @ObservationIgnored public var onChanges: (([ResultsChange<Element>]) -> Void)? { didSet { listen() } }

  init(_ descriptor: FetchDescriptor<Element>, _ sectioning: Sectioning?, in context: ModelContext) throws {
    modelContext = context
    fetchDescriptor = descriptor
    self.sectioning = sectioning
    controller = try Self.fetched(descriptor, sectioning, in: context)
  }

  private static func fetched(
    _ descriptor: FetchDescriptor<Element>, _ sectioning: Sectioning?, in context: ModelContext
  ) throws -> FetchedResultsController<ModelObject> {
    var descriptor = descriptor
    if let order = sectioning?.sortBy.first, descriptor.sortBy.first?.keyPath != order.keyPath {
      descriptor.sortBy.insert(order, at: 0)
    }
    return try context.run(descriptor) { request in
      let controller = try FetchedResultsController(request, in: context.engine, as: ModelObject.self)
      try controller.performFetch()
      return controller
    }
  }

  /// The models, in the descriptor's order.
  ///
  /// No statement.
  public var results: FetchResultsCollection<Element> { FetchResultsCollection(controller.fetchedObjects) }

  /// The models by the property to section by, each section where its first model is; nil without one.
  ///
  /// Made at each access, from all results. No statement.
  public var sections: SectionedResults<Element, SectionTitle>? {
    sectioning.map { SectionedResults(results, title: $0.title) }
  }

  /// The property to section by; nil for no sections.
  public var sectionBy: PartialKeyPath<Element>? { sectioning?.path }

  /// Why the last change could not be shown; nil when all went well.
  ///
  /// The results are those before it.
  public var failure: (any Error)? { refusal ?? controller.failure }

  /// The condition; nil for all.
  ///
  /// One statement when it is set. What cannot be fetched leaves the results as they are, and is `failure`.
  public var filterBy: Predicate<Element>? {
    get { fetchDescriptor.predicate }
    set {
      var descriptor = fetchDescriptor
      descriptor.predicate = newValue
      show(descriptor)
    }
  }

  /// The order; within a section, where there are some.
  ///
  /// One statement when it is set, as `filterBy`.
  public var sortBy: [SortDescriptor<Element>] {
    get { fetchDescriptor.sortBy }
    set {
      var descriptor = fetchDescriptor
      descriptor.sortBy = newValue
      show(descriptor)
    }
  }

  private func show(_ descriptor: FetchDescriptor<Element>) {
    fetchDescriptor = descriptor
    do {
      let old = controller.fetchedObjects
      controller = try Self.fetched(descriptor, sectioning, in: modelContext)
      refusal = nil
      listen()
      onChange?()
      onChanges?(ResultsChange.changes(from: old, to: controller.fetchedObjects))
    } catch {
      refusal = error
    }
  }

  private func listen() {
    guard onChange != nil || onChanges != nil else {
      controller.onChange = nil
      return
    }
    // The controller must not retain this object, which may be released in what is called here.
    controller.onChange = { [weak self] changes in
      guard let self else { return }
      onChange?()
      onChanges?(changes.compactMap { ResultsChange($0) })
    }
  }
}
