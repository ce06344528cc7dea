import Locks
import ObjectContext
import ObjectModel
import StoreContract
import StoreTestKit

/// One promise of the object graph, kept over any store: contexts, faults, relationships, saving,
/// conflicts, undo.
///
/// Run every check against a store of your own to know that contexts work on it as they do on ours.
struct ContextCheck: Sendable, CustomStringConvertible {
  /// The rule that is checked.
  let description: String
  /// Runs the check; throws `StoreCheckFailure` or what the context throws.
  let run: @Sendable (any StoreFactory) async throws -> Void

  init(_ description: String, _ run: @escaping @Sendable (any StoreFactory) async throws -> Void) {
    self.description = description
    self.run = run
  }

  /// Every check.
  static var all: [ContextCheck] {
    life + faults + fetching + inaccessible + batches + values + relationships + subentities + deleteRules
      + validation
      + singleValues
      + limits + metadata + saving + conflicts + failingMerges + inverses + bothEnds + upserts
      + severalContexts + mergedInParents + undo + undoneInverses
      + liveResults + concurrency + containers + movedStores
  }
}

/// A coordinator over one store that a factory made, for one check.
struct ContextScenario: Sendable {
  let factory: any StoreFactory
  let model: ManagedObjectModel
  let store: any IncrementalStore
  let coordinator: PersistentStoreCoordinator

  init(_ factory: any StoreFactory, _ model: ManagedObjectModel? = nil) async throws {
    self.factory = factory
    let model = try model ?? Self.model()
    self.model = model
    store = try await factory.makeStore(model)
    coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    if model.entity(named: "Person") != nil { try coordinator.register(LoggedObject.self, for: "Person") }
    try coordinator.addPersistentStore(store)
  }

  /// U+0000 where the store takes it, and else another unusual character.
  var null: String { factory.storesNullCharacters ? "\u{0}" : "\u{1}" }

  /// Another context on the isolation that calls.
  func newContext() -> ManagedObjectContext { ManagedObjectContext(coordinator) }

  /// What the store holds, seen by a context that knows nothing yet: of a closed and reopened store
  /// where it can be.
  func reopened() async throws -> ContextScenario? {
    guard let again = try await factory.reopen(store, model) else { return nil }
    return try ContextScenario(factory, model, again)
  }

  private init(_ factory: any StoreFactory, _ model: ManagedObjectModel, _ store: any IncrementalStore) throws
  {
    self.factory = factory
    self.model = model
    self.store = store
    coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(store)
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Company") {
        Attribute("name", .string, optional: false)
        Relationship("employees", toMany: "Person", inverse: "employer")
        Relationship("board", toMany: "Person", inverse: "boards", minCount: 1, maxCount: 3)
      }
      Entity("Person") {
        Attribute("name", .string)
        Attribute("age", .integer32, default: 18, minValue: 0, maxValue: 150)
        Attribute("motto", .string)
        Attribute("mood", .string, transient: true)
        Relationship("employer", to: "Company", inverse: "employees")
        Relationship("boards", toMany: "Company", inverse: "board")
        Relationship("spouse", to: "Person", inverse: "spouse")
        Relationship("manager", to: "Person", inverse: "reports")
        Relationship("reports", toMany: "Person", inverse: "manager")
        Relationship("friends", toMany: "Person", inverse: "friends")
        Relationship("favourites", toMany: "Tag", ordered: true)
        Relationship("tags", toMany: "Tag", inverse: "people")
        Relationship("desk", to: "Desk", inverse: "owner", deleteRule: .cascade)
        Relationship("home", to: "Address", inverse: "residents")
        Relationship("office", to: "Address", inverse: "workers")
        Relationship(
          "tasks", toMany: "Task", inverse: "owner", ordered: true, deleteRule: .cascade)
        Relationship("loans", toMany: "Loan", inverse: "borrower", deleteRule: .deny)
      }
      Entity("Tag") {
        Attribute("name", .string)
        Attribute("colour", .string, default: "grey")
        Attribute("rank", .integer32)
        Relationship("people", toMany: "Person", inverse: "tags", ordered: true)
        UniquenessConstraint("name")
      }
      Entity("Desk") {
        Attribute("number", .integer32)
        Relationship("owner", to: "Person", inverse: "desk")
      }
      Entity("Address") {
        Attribute("street", .string)
        Relationship("residents", toMany: "Person", inverse: "home")
        Relationship("workers", toMany: "Person", inverse: "office")
      }
      Entity("Task") {
        Attribute("title", .string, optional: false)
        Attribute("note", .string)
        Relationship("owner", to: "Person", inverse: "tasks", optional: false)
        Relationship("next", to: "Task", inverse: "previous", deleteRule: .cascade)
        Relationship("previous", to: "Task", inverse: "next")
      }
      Entity("Loan") {
        Attribute("amount", .integer64)
        Relationship("borrower", to: "Person", inverse: "loans")
      }
      Entity("Node") {
        Attribute("number", .integer64)
        Relationship("next", to: "Node", inverse: "previous", deleteRule: .cascade)
        Relationship("previous", to: "Node", inverse: "next", deleteRule: .cascade)
        Relationship("loose", to: "Node", deleteRule: .noAction)
        Relationship("hint", to: "Node")
      }
    }
  }
}

/// A Person whose hooks tell the log of the task that they were called.
final class LoggedObject: ManagedObject {
  @TaskLocal static var log: HookLog?

  private func note(_ hook: String) { Self.log?.note(hook, self) }

  override func awakeFromInsert() { note("awakeFromInsert") }
  override func awakeFromFetch() { note("awakeFromFetch") }
  override func awakeFromSnapshotEvents(_ events: SnapshotEvents) {
    note("awakeFromSnapshotEvents \(events)")
  }
  override func willSave() { note("willSave") }
  override func didSave() { note("didSave") }
  override func prepareForDeletion() { note("prepareForDeletion") }
  override func willTurnIntoFault() { note("willTurnIntoFault") }
  override func didTurnIntoFault() { note("didTurnIntoFault") }
  override func validateForInsert() throws { note("validateForInsert") }
  override func validateForUpdate() throws { note("validateForUpdate") }
  override func validateForDelete() throws { note("validateForDelete") }
  override func validateValue(_ value: AttributeValue, forKey name: String) throws {
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
