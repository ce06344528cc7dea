import ObjectContext

extension ModelContext {
  /// The context of an observer: on an actor, it takes in at once what others save.
  fileprivate convenience init(observing container: ModelContainer, on actor: (any Actor)?) {
    let coordinator = container.core.engine.persistentStoreCoordinator
    let engine =
      actor.map { ManagedObjectContext(coordinator, endingEventsOn: $0) }
      ?? ManagedObjectContext(coordinator, isolation: nil)
    engine.automaticallyMergesChangesFromParent = true
    self.init(container.core, engine)
  }
}

extension ResultsObserver where SectionTitle == Never {
  /// Fetches the models of a descriptor in a context, and observes them.
  ///
  /// One statement.
  /// - Throws: as `ModelContext.fetch(_:)`.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, in: modelContext)
  }

  /// Fetches the models that a condition selects in a context, and observes them.
  ///
  /// One statement.
  /// - Throws: as `ModelContext.fetch(_:)`.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil, in: modelContext)
  }

  /// Fetches the models of a descriptor with a context of its own, and observes them.
  ///
  /// One statement. Without an actor its context takes in what others save when it is used.
  /// - Throws: as `ModelContext.fetch(_:)`.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, nil, in: ModelContext(observing: modelContainer, on: isolation))
  }

  /// Fetches the models that a condition selects with a context of its own, and observes them.
  ///
  /// One statement. Without an actor its context takes in what others save when it is used.
  /// - Throws: as `ModelContext.fetch(_:)`.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil,
      in: ModelContext(observing: modelContainer, on: isolation))
  }
}

extension ResultsObserver where SectionTitle == String {
  /// Fetches the models of a descriptor in a context, and observes them, by sections.
  ///
  /// One statement.
  /// - Throws: as `ModelContext.fetch(_:)`.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, .by(sectionBy), in: modelContext)
  }

  /// Fetches the models that a condition selects in a context, and observes them, by sections.
  ///
  /// One statement.
  /// - Throws: as `ModelContext.fetch(_:)`.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), .by(sectionBy), in: modelContext)
  }

  /// Fetches the models of a descriptor in a context, and observes them, by sections.
  ///
  /// One statement. Models without a value are the section "".
  /// - Throws: as `ModelContext.fetch(_:)`.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String?>,
    modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, .by(sectionBy), in: modelContext)
  }

  /// Fetches the models that a condition selects in a context, and observes them, by sections.
  ///
  /// One statement. Models without a value are the section "".
  /// - Throws: as `ModelContext.fetch(_:)`.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), .by(sectionBy), in: modelContext)
  }

  /// Fetches the models of a descriptor with a context of its own, and observes them, by sections.
  ///
  /// One statement. Without an actor its context takes in what others save when it is used.
  /// - Throws: as `ModelContext.fetch(_:)`.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, .by(sectionBy), in: ModelContext(observing: modelContainer, on: isolation))
  }

  /// Fetches the models that a condition selects with a context of its own, and observes them, by sections.
  ///
  /// One statement. Without an actor its context takes in what others save when it is used.
  /// - Throws: as `ModelContext.fetch(_:)`.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), .by(sectionBy),
      in: ModelContext(observing: modelContainer, on: isolation))
  }

  /// Fetches the models of a descriptor with a context of its own, and observes them, by sections.
  ///
  /// One statement. Models without a value are the section "". Without an actor its context takes in what
  /// others save when it is used.
  /// - Throws: as `ModelContext.fetch(_:)`.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor(), sectionBy: KeyPath<Element, String?>,
    modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(fetchDescriptor, .by(sectionBy), in: ModelContext(observing: modelContainer, on: isolation))
  }

  /// Fetches the models that a condition selects with a context of its own, and observes them, by sections.
  ///
  /// One statement. Models without a value are the section "". Without an actor its context takes in what
  /// others save when it is used.
  /// - Throws: as `ModelContext.fetch(_:)`.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), .by(sectionBy),
      in: ModelContext(observing: modelContainer, on: isolation))
  }
}

extension ResultsObserver.Sectioning where SectionTitle == String {
  fileprivate static func by(_ path: KeyPath<Element, String>) -> Self {
    Self(path: path, sortBy: [SortDescriptor(sendable(path), comparator: .lexical)]) { $0[keyPath: path] }
  }

  fileprivate static func by(_ path: KeyPath<Element, String?>) -> Self {
    Self(path: path, sortBy: [SortDescriptor(sendable(path), comparator: .lexical)]) {
      $0[keyPath: path] ?? ""
    }
  }

  /// Key paths never change.
  private static func sendable<Value>(
    _ path: KeyPath<Element, Value>
  ) -> any KeyPath<Element, Value> & Sendable {
    unsafeBitCast(path, to: (any KeyPath<Element, Value> & Sendable).self)
  }
}
