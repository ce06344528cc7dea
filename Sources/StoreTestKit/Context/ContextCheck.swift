import Locks
public import ObjectContext
public import ObjectModel
import StoreContract

/// One promise of the object graph, kept over any store: contexts, faults, relationships, saving, conflicts, undo.
///
/// Run every check against a store of your own to know that contexts work on it as they do on ours.
public struct ContextCheck: Sendable, CustomStringConvertible {
  /// The rule that is checked.
  public let description: String
  /// Runs the check; throws `StoreCheckFailure` or what the context throws.
  public let run: @Sendable (any StoreFactory) async throws -> Void

  init(_ description: String, _ run: @escaping @Sendable (any StoreFactory) async throws -> Void) {
    self.description = description
    self.run = run
  }

  /// Every check.
  public static var all: [ContextCheck] {
    life + faults + fetching + inaccessible + batches + values + relationships + deleteRules + validation
      + singleValues
      + limits + metadata + saving + conflicts + failingMerges + inverses + upserts
      + severalContexts + mergedInParents + undo + undoneInverses
      + liveResults + concurrency + containers + movedStores
  }
}

/// A coordinator over one store that a factory made, for one check.
struct Office: Sendable {
  let factory: any StoreFactory
  let model: ManagedObjectModel
  let store: any IncrementalStore
  let coordinator: PersistentStoreCoordinator

  init(_ factory: any StoreFactory, _ model: ManagedObjectModel? = nil) async throws {
    self.factory = factory
    let model = try model ?? Self.model()
    self.model = model
    store = try await factory.makeStore(model)
    coordinator = PersistentStoreCoordinator(model: model)
    if model.entity(named: "Person") != nil { try coordinator.register(LoggedObject.self, for: "Person") }
    try coordinator.addStore(store)
  }

  /// Another context on the isolation that calls.
  func newContext() -> ManagedObjectContext { ManagedObjectContext(coordinator) }

  /// What the store holds, seen by a context that knows nothing yet: of a closed and reopened store where it can be.
  func reopened() async throws -> Office? {
    guard let again = try await factory.reopen(store, model) else { return nil }
    return try Office(factory, model, again)
  }

  private init(_ factory: any StoreFactory, _ model: ManagedObjectModel, _ store: any IncrementalStore) throws
  {
    self.factory = factory
    self.model = model
    self.store = store
    coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.addStore(store)
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      EntityDescription("Company") {
        AttributeDescription("name", .string, optional: false)
        RelationshipDescription("employees", toMany: "Person", inverse: "employer")
        RelationshipDescription("board", toMany: "Person", inverse: "boards", minCount: 1, maxCount: 3)
      }
      EntityDescription("Person") {
        AttributeDescription("name", .string)
        AttributeDescription("age", .integer32, default: 18, minValue: 0, maxValue: 150)
        AttributeDescription("motto", .string)
        AttributeDescription("mood", .string, transient: true)
        RelationshipDescription("employer", to: "Company", inverse: "employees")
        RelationshipDescription("boards", toMany: "Company", inverse: "board")
        RelationshipDescription("spouse", to: "Person", inverse: "spouse")
        RelationshipDescription("manager", to: "Person", inverse: "reports")
        RelationshipDescription("reports", toMany: "Person", inverse: "manager")
        RelationshipDescription("friends", toMany: "Person", inverse: "friends")
        RelationshipDescription("favourites", toMany: "Tag", ordered: true)
        RelationshipDescription("tags", toMany: "Tag", inverse: "people")
        RelationshipDescription("desk", to: "Desk", inverse: "owner", deleteRule: .cascade)
        RelationshipDescription("home", to: "Address", inverse: "residents")
        RelationshipDescription("office", to: "Address", inverse: "workers")
        RelationshipDescription(
          "tasks", toMany: "Task", inverse: "owner", ordered: true, deleteRule: .cascade)
        RelationshipDescription("loans", toMany: "Loan", inverse: "borrower", deleteRule: .deny)
      }
      EntityDescription("Tag") {
        AttributeDescription("name", .string)
        AttributeDescription("colour", .string, default: "grey")
        AttributeDescription("rank", .integer32)
        RelationshipDescription("people", toMany: "Person", inverse: "tags", ordered: true)
        UniquenessConstraint("name")
      }
      EntityDescription("Desk") {
        AttributeDescription("number", .integer32)
        RelationshipDescription("owner", to: "Person", inverse: "desk")
      }
      EntityDescription("Address") {
        AttributeDescription("street", .string)
        RelationshipDescription("residents", toMany: "Person", inverse: "home")
        RelationshipDescription("workers", toMany: "Person", inverse: "office")
      }
      EntityDescription("Task") {
        AttributeDescription("title", .string, optional: false)
        AttributeDescription("note", .string)
        RelationshipDescription("owner", to: "Person", inverse: "tasks", optional: false)
        RelationshipDescription("next", to: "Task", inverse: "previous", deleteRule: .cascade)
        RelationshipDescription("previous", to: "Task", inverse: "next")
      }
      EntityDescription("Loan") {
        AttributeDescription("amount", .integer64)
        RelationshipDescription("borrower", to: "Person", inverse: "loans")
      }
      EntityDescription("Node") {
        AttributeDescription("number", .integer64)
        RelationshipDescription("next", to: "Node", inverse: "previous", deleteRule: .cascade)
        RelationshipDescription("previous", to: "Node", inverse: "next", deleteRule: .cascade)
        RelationshipDescription("loose", to: "Node", deleteRule: .noAction)
        RelationshipDescription("hint", to: "Node")
      }
    }
  }
}

/// A Person whose hooks tell the log of the task that they were called.
public final class LoggedObject: ManagedObject {
  @TaskLocal static var log: HookLog?

  private func note(_ hook: String) { Self.log?.note(hook, self) }

  public override func awakeFromInsert() { note("awakeFromInsert") }
  public override func awakeFromFetch() { note("awakeFromFetch") }
  public override func awakeFromSnapshotEvents(_ events: SnapshotEvents) {
    note("awakeFromSnapshotEvents \(events)")
  }
  public override func willSave() { note("willSave") }
  public override func didSave() { note("didSave") }
  public override func prepareForDeletion() { note("prepareForDeletion") }
  public override func willTurnIntoFault() { note("willTurnIntoFault") }
  public override func didTurnIntoFault() { note("didTurnIntoFault") }
  public override func validateForInsert() throws { note("validateForInsert") }
  public override func validateForUpdate() throws { note("validateForUpdate") }
  public override func validateForDelete() throws { note("validateForDelete") }
  public override func validateValue(_ value: AttributeValue, for name: String) throws {
    if name == "motto", value == .string("forbidden") { throw Forbidden() }
  }

  /// What a person's motto is refused with.
  struct Forbidden: Error {}
}

/// Which hooks were called, in their order.
final class HookLog: Sendable {
  private let entries = Locked<[String]>([])
  /// Called with each hook, to act inside it.
  let act: (@Sendable (String, ManagedObject) -> Void)?

  init(act: (@Sendable (String, ManagedObject) -> Void)? = nil) { self.act = act }

  func note(_ hook: String, _ object: ManagedObject) {
    entries.withLock { $0.append(hook) }
    act?(hook, object)
  }

  /// The hooks so far; begins anew.
  func take() -> [String] {
    entries.withLock { entries in
      defer { entries = [] }
      return entries
    }
  }
}

/// Expects an error of a context with a code.
@discardableResult
func expectContextError(
  _ code: ContextError.Code, _ what: String, line: Int = #line, fileID: String = #fileID,
  _ body: () throws -> Void
) throws -> ContextError {
  do {
    try body()
  } catch let error as ContextError {
    try expect(error.code == code, "\(what): expected \(code), got \(error.code)", line: line, fileID: fileID)
    return error
  }
  throw StoreCheckFailure(description: "\(fileID):\(line): \(what): expected \(code), got no error")
}
