import AppleModel
public import ObjectContext
public import ObjectModel
import StoreContract

/// A migration by a mapping model, while it runs: the two contexts, and which objects were made of
/// which.
///
/// As `NSMigrationManager`, except that a migration makes its own: set the `mappingModel` of a
/// store's description, or call `migrateStore(_:of:to:of:with:)`. Policies get it. Both contexts
/// are worked through in batches: objects that the program does not retain are released, and the
/// destination context is saved at the end of each batch, without validation, which comes last.
public final class MigrationManager {
  /// The old version of the model.
  public let sourceModel: ManagedObjectModel
  /// The new version of the model.
  public let destinationModel: ManagedObjectModel
  /// The context of the old store; what is changed in it is never saved.
  public let sourceContext: ManagedObjectContext
  /// The context of the new store.
  public let destinationContext: ManagedObjectContext
  /// The program's own values, for policies.
  public var userInfo: [String: Any] = [:]
  /// The mapping whose policy is at work; nil between mappings.
  public internal(set) var currentEntityMapping: EntityMapping?
  /// How far the migration is, from 0 to 1.
  public internal(set) var migrationProgress = 0.0

  /// One entity mapping and what became of it.
  final class Step {
    var mapping: EntityMapping
    let policy: EntityMigrationPolicy
    var instances = AssociatedInstances()

    init(_ mapping: EntityMapping, _ policy: EntityMigrationPolicy) {
      self.mapping = mapping
      self.policy = policy
    }
  }

  let steps: [Step]
  private let stepsByName: [String: Step]
  /// The mappings that make objects of an entity's objects.
  private let stepsBySource: [String: [Step]]
  private var cancellation: (any Error)?

  /// What an expression means to objects of two entities.
  private struct EvaluationKey: Hashable {
    let expression: ArchivedExpression
    let source: EntityDescription?
    let destination: EntityDescription?
  }

  private var evaluations: [EvaluationKey: MappingEvaluation] = [:]
  /// The bytes of long values that were set since the last save.
  var unsavedBytes = 0

  /// - Throws: `MappingModelError`: `modelMismatch`, `missingPolicies`, `unsupportedExpression`.
  init(
    _ mapping: MappingModel, from source: ManagedObjectContext, to destination: ManagedObjectContext
  ) throws {
    sourceContext = source
    destinationContext = destination
    sourceModel = source.persistentStoreCoordinator.managedObjectModel
    destinationModel = destination.persistentStoreCoordinator.managedObjectModel
    let whole = try mapping.generatingExpressions(from: sourceModel, to: destinationModel)
    let policies = try Self.policies(whole)
    steps = whole.entityMappings.map { mapping in
      let name = mapping.entityMigrationPolicyClassName
      let type = name.flatMap { policies[$0] } ?? EntityMigrationPolicy.self
      return Step(mapping, type.init())
    }
    stepsByName = Dictionary(steps.map { ($0.mapping.name, $0) }) { first, _ in first }
    stepsBySource = Dictionary(grouping: steps) { $0.mapping.sourceEntityName ?? "" }
    try checkExpressions()
  }

  private static func policies(_ mapping: MappingModel) throws -> [String: EntityMigrationPolicy.Type] {
    var types: [String: EntityMigrationPolicy.Type] = [:]
    for name in mapping.policyClassNames { types[name] = EntityMigrationPolicy.registered(as: name) }
    let missing = mapping.policyClassNames.filter { types[$0] == nil }
    if missing.isEmpty { return types }
    throw MappingModelError(
      .missingPolicies,
      "the mapping model wants policies that are not registered: \(missing.joined(separator: ", "));"
        + " register the classes with register(as:) before the store is opened", policyClassNames: missing)
  }

  // MARK: Associations

  /// Notes that an object was made of another, for the relationships.
  ///
  /// Several may be made of one, and one of several. Issues no statement.
  public func associate(
    sourceInstance source: ManagedObject, withDestinationInstance destination: ManagedObject,
    for mapping: EntityMapping
  ) {
    stepsByName[mapping.name]?.instances.append(source.objectID, destination)
  }

  /// The objects that a mapping made of source objects, in their order; none for an unknown name.
  ///
  /// Objects that are not in memory are faults, which fire with one statement.
  /// - Throws: `ContextError` when the context is closed.
  public func destinationInstances(
    forEntityMappingName name: String, sourceInstances: [ManagedObject]
  ) throws -> [ManagedObject] {
    guard let step = stepsByName[name] else { return [] }
    return try objects(sourceInstances.flatMap { step.instances.destinations(of: $0.objectID) })
  }

  private func objects(_ destinations: [AssociatedInstances.Destination]) throws -> [ManagedObject] {
    let ids = destinations.compactMap { destination in
      if case .stored(let id) = destination { id } else { nil }
    }
    var stored = try destinationContext.objects(with: ids)[...]
    return destinations.compactMap { destination in
      if case .unsaved(let object) = destination { object } else { stored.popFirst() }
    }
  }

  /// The objects of which a mapping made others, in their order; none for an unknown name.
  ///
  /// Objects that are not in memory are faults, which fire with one statement.
  /// - Throws: `ContextError` when the context is closed.
  public func sourceInstances(
    forEntityMappingName name: String, destinationInstances: [ManagedObject]
  ) throws -> [ManagedObject] {
    guard let step = stepsByName[name] else { return [] }
    step.instances.settle()
    return try sourceContext.objects(
      with: destinationInstances.flatMap { step.instances.sources(of: $0.objectID) })
  }

  /// The objects that any mapping made of source objects.
  func destinationInstances(ofAnyMapping sourceInstances: [ManagedObject]) throws -> [ManagedObject] {
    try objects(
      sourceInstances.flatMap { source in
        (stepsBySource[source.entity.name] ?? []).flatMap { $0.instances.destinations(of: source.objectID) }
      })
  }

  // MARK: Cancellation

  /// Ends the migration at the next object; the store stays as it was.
  /// - Parameter error: What the migration throws.
  public func cancelMigration(_ error: any Error) { cancellation = error }

  /// - Throws: The error of a cancellation; `StoreError` with code `cancelled` when the task was
  ///   cancelled.
  func checkCancellation() throws {
    if let cancellation { throw cancellation }
    if Task.isCancelled {
      throw StoreError(.cancelled, "the migration was cancelled; the store is as it was")
    }
  }

  // MARK: Expressions

  /// What an expression means; looked up once for each pair of entities.
  func evaluation(
    of expression: ArchivedExpression, _ source: EntityDescription?, _ destination: EntityDescription?
  ) throws -> MappingEvaluation {
    let key = EvaluationKey(expression: expression, source: source, destination: destination)
    if let known = evaluations[key] { return known }
    let resolver = MappingResolver(
      source: source, destination: destination, mappingNames: Set(stepsByName.keys))
    let evaluation = try resolver.resolve(expression)
    evaluations[key] = evaluation
    return evaluation
  }

  /// Looks up all expressions before anything is written.
  private func checkExpressions() throws {
    for step in steps {
      _ = try sourceRequest(step)
      guard let name = step.mapping.destinationEntityName else { continue }
      let source = step.mapping.sourceEntityName.flatMap { sourceModel.entity(named: $0) }
      for property in step.mapping.attributeMappings + step.mapping.relationshipMappings {
        guard let expression = property.valueExpression else { continue }
        do {
          _ = try evaluation(of: expression, source, destinationModel.entity(named: name))
        } catch let error as MappingModelError {
          throw MappingModelError(
            error.code, "\(step.mapping.name).\(property.name): \(error.message)", cause: error.cause)
        }
      }
    }
  }
}
