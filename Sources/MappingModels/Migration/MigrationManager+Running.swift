import AppleModel
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract

extension MigrationManager {
  /// The objects of a batch; the memory for them is all that a migration needs beside the IDs.
  private static let batchSize = 500
  /// The bytes of values that are saved before a batch is full.
  private static let mostUnsavedBytes = 16 << 20

  /// Counts what is done and reports it.
  private struct Meter {
    private let total: Double
    private var done = 0.0
    let report: @Sendable (Double) -> Void

    init(_ objects: Int, _ report: @escaping @Sendable (Double) -> Void) {
      total = max(1, Double(objects * 3))
      self.report = report
    }

    /// The part that is done; 1 is left for the end.
    mutating func add(_ count: Int) -> Double {
      done += Double(count)
      return min(done / total, 0.99)
    }
  }

  /// Makes all objects, then all relationships, and checks the result.
  /// - Throws: What policies throw; `MappingModelError`, `ContextError` and `StoreError`.
  func run(_ progress: @escaping @Sendable (Double) -> Void) throws {
    destinationContext.graph.defersValidation = true
    let requests = try steps.map { try sourceRequest($0) }
    let count = try requests.reduce(0) { try $0 + ($1.map { try sourceContext.count(for: $0) } ?? 0) }
    var meter = Meter(count, progress)
    for (step, request) in zip(steps, requests) { try makeInstances(step, request, &meter) }
    for step in steps { try makeRelationships(step, &meter) }
    for step in steps {
      try work(step) { try step.policy.performCustomValidation(forMapping: &$0, manager: self) }
    }
    for step in steps { try work(step) { try step.policy.end(&$0, manager: self) } }
    try save()
    try validate(&meter)
    migrationProgress = 1
    progress(1)
  }

  /// Lets a policy work with the mapping, and change it.
  private func work(_ step: Step, _ body: (inout EntityMapping) throws -> Void) throws {
    try checkCancellation()
    // A copy, since the policy asks the manager, which looks at the mappings, meanwhile.
    var mapping = step.mapping
    defer {
      step.mapping = mapping
      currentEntityMapping = nil
    }
    currentEntityMapping = mapping
    try body(&mapping)
  }

  private func save() throws {
    unsavedBytes = 0
    if destinationContext.hasChanges { try destinationContext.save() }
    for step in steps {
      step.instances.settle()
      step.instances.dropUnsaved()
    }
  }

  private func advance(_ meter: inout Meter, by count: Int) throws {
    migrationProgress = meter.add(count)
    meter.report(migrationProgress)
    try checkCancellation()
  }

  private static func batches<Element>(_ elements: [Element]) -> [ArraySlice<Element>] {
    stride(from: 0, to: elements.count, by: batchSize).map {
      elements[$0..<min($0 + batchSize, elements.count)]
    }
  }

  // MARK: Objects

  /// The request for a mapping's source objects; nil where it has none.
  func sourceRequest(_ step: Step) throws -> FetchRequest? {
    try Self.sourceRequest(step.mapping, sourceModel)
  }

  /// The objects that a mapping makes others of.
  static func sourceRequest(
    _ mapping: EntityMapping, _ model: ManagedObjectModel
  ) throws -> FetchRequest? {
    guard let expression = mapping.sourceExpression else { return nil }
    guard
      case .fetchRequest(
        .function(.variable("manager")?, MappingSelector.sourceRequest, let arguments), _, _) =
        expression, arguments.count == 2, case .constant(.string(let name)) = arguments[0],
      case .constant(.string(let format)) = arguments[1]
    else {
      throw MappingModelError(
        .unsupportedExpression,
        "\(mapping.name): the source expression \(expression.formatText) is none of a fetch request;"
          + " use an entity and a filter")
    }
    var request = FetchRequest(name)
    request.includesSubentities = false
    do {
      let predicate = try FetchPredicate(format: format)
      if predicate != .constant(true) { request.predicate = predicate }
      if let entity = model.entity(named: name) { _ = try ResolvedPredicate(predicate, for: entity) }
    } catch {
      throw MappingModelError(
        .unsupportedExpression, "\(mapping.name): the source filter cannot be evaluated; correct it",
        cause: error)
    }
    return request
  }

  private func makeInstances(_ step: Step, _ request: FetchRequest?, _ meter: inout Meter) throws {
    try work(step) { try step.policy.begin(&$0, with: self) }
    let ids = try request.map { try sourceContext.fetchObjectIDs($0) } ?? []
    for batch in Self.batches(ids) {
      try work(step) { mapping in
        // The last one first, so that each is released when it is done.
        var objects = Array(try sourceContext.objects(with: Array(batch)).reversed())
        while let source = objects.popLast() {
          try step.policy.createDestinationInstances(forSource: source, in: &mapping, manager: self)
          if unsavedBytes > Self.mostUnsavedBytes { try save() }
          try checkCancellation()
        }
      }
      try save()
      try advance(&meter, by: batch.count)
    }
    try work(step) { try step.policy.endInstanceCreation(forMapping: &$0, manager: self) }
    try save()
  }

  // MARK: Relationships

  private func makeRelationships(_ step: Step, _ meter: inout Meter) throws {
    for batch in Self.batches(step.instances.destinations) {
      try work(step) { mapping in
        // Together, so that each kind of row is read with one statement.
        let sources = try sourceContext.objects(with: batch.map(\.source))
        for destination in try existing(batch.map(\.destination)) {
          try step.policy.createRelationships(forDestination: destination, in: &mapping, manager: self)
          try checkCancellation()
        }
        withExtendedLifetime(sources) {}
      }
      try save()
      try advance(&meter, by: batch.count)
    }
    try work(step) { try step.policy.endRelationshipCreation(forMapping: &$0, manager: self) }
    try save()
  }

  /// The objects of IDs with their rows, without those that a policy deleted.
  private func existing(_ ids: [ManagedObjectID]) throws -> [ManagedObject] {
    try destinationContext.objects(with: ids).filter { object in
      _ = try object.version
      return !object.isDeleted
    }
  }

  // MARK: Rules

  private func validate(_ meter: inout Meter) throws {
    for entity in destinationModel.entities where !entity.isAbstract {
      var request = FetchRequest(entity.name)
      request.includesSubentities = false
      for batch in Self.batches(try destinationContext.fetchObjectIDs(request)) {
        try destinationContext.graph.validateWhole(
          try destinationContext.objects(with: Array(batch)),
          outcome: "the migrated objects do not fit the new version of the model, and nothing was changed")
        try advance(&meter, by: batch.count)
      }
    }
  }
}
