import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

/// Two contexts that take in each other's saves, and objects that both hold.
struct MergingPair {
  let scenario: ContextScenario
  let here: ManagedObjectContext
  let there: ManagedObjectContext
  let ids: [ManagedObjectID]
  private let held: [ManagedObject]

  /// - `make`: Makes the objects, which are saved then.
  init(_ scenario: ContextScenario, _ make: (ManagedObjectContext) throws -> [ManagedObject]) throws {
    self.scenario = scenario
    let maker = scenario.newContext()
    let objects = try make(maker)
    try maker.save()
    let ids = objects.map(\.objectID)
    let contexts = (0..<2).map { _ in scenario.newContext() }
    (here, there) = (contexts[0], contexts[1])
    for context in contexts { context.automaticallyMergesChangesFromParent = true }
    here.undoManager = UndoManager()
    held = try contexts.flatMap { context in try ids.map { try context.existingObject(with: $0) } }
    self.ids = ids
  }

  /// The objects as one of the contexts has them.
  subscript(_ context: ManagedObjectContext) -> [ManagedObject] {
    context === here ? Array(held.prefix(ids.count)) : Array(held.suffix(ids.count))
  }

  /// Sets values of one stored object past the objects.
  func batch(
    _ context: ManagedObjectContext, _ place: Int, _ values: [String: AttributeValue]
  ) throws {
    try context.batchUpdate(
      FetchRequest(ids[place].entity.name, where: isObject(place)), set: values)
  }

  func isObject(_ place: Int) -> FetchPredicate {
    .comparison(FetchComparison(.selfObject, .equal, .value(reference(place))))
  }

  func reference(_ place: Int) -> AttributeValue { .reference(ids[place].reference) }

  /// Both ends of every relationship agree, in both contexts and in the store, and nothing leads to
  /// what is deleted.
  func agree(_ what: String) throws {
    for (name, context) in [("here", here), ("there", there), ("stored", scenario.newContext())] {
      try context.mergeChanges()
      for object in try ["Person", "Company", "Tag"].flatMap({ try context.fetch(FetchRequest($0)) }) {
        for relationship in object.entity.relationships {
          guard let inverse = relationship.inverse else { continue }
          let path = "\(what), \(name): \(object.entity.name).\(relationship.name)"
          for end in try Self.ends(object, relationship) {
            let isBack = try Self.ends(end, inverse).contains(object)
            try expect(isBack && !end.isDeleted, "\(path) leads to what does not lead back")
          }
        }
      }
    }
  }

  private static func ends(_ object: ManagedObject, _ relationship: RelationshipDescription) throws
    -> [ManagedObject]
  {
    relationship.isToMany
      ? Array(try object.objects(relationship.name))
      : try object.object(relationship.name).map { [$0] } ?? []
  }
}
