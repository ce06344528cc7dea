import Foundation
import Glibc
import StoreContract
import Strongroom
import StrongroomPostgres
import Synchronization

/// Reads and writes registers at random until SIGTERM, and logs each operation before and after.
final class Writer {
  static let isOver = Atomic<Bool>(false)

  private let playground: Playground
  private let number: Int
  private let life: Int
  private let log: LogFile
  private var operations = 0
  private var known: [ManagedObjectID] = []

  init(_ playground: Playground, number: Int, life: Int) throws {
    self.playground = playground
    self.number = number
    self.life = life
    log = try LogFile(playground.file("writer-\(number)-\(life).log"))
  }

  func run() async throws {
    signal(SIGTERM) { _ in Writer.isOver.store(true, ordering: .relaxed) }
    let container = try await playground.open()
    let context = container.newContext()
    context.mergePolicy = .error
    while !Self.isOver.load(ordering: .relaxed) {
      switch Int.random(in: 0..<100) {
      case 0..<20: _ = try read([.random(in: 0..<Playground.groups)], context)
      case 20..<35: try look(context)
      case 35..<40: try readPinned(context)
      case 40..<85: try save(context)
      case 85..<93: try batchUpdate(context)
      case 93..<97: try batchInsert(context)
      default: try batchDelete(context)
      }
      context.reset()
      usleep(useconds_t.random(in: 0...3000))
    }
    try container.close()
  }

  /// Logs an operation, runs it with its name as author, and logs how it ended.
  private func log(
    _ first: Line, _ context: ManagedObjectContext, _ body: (inout Line) throws -> Void
  ) throws {
    operations += 1
    let name = "\(number).\(life).\(operations)"
    var first = first
    first.begin = name
    context.transactionAuthor = name
    first.at = Playground.now
    try log.append(first)
    var last = Line()
    last.outcome = "ok"
    do {
      try body(&last)
    } catch let error as StoreError where error.code == .outcomeUnknown {
      last.outcome = try isSaved(error, name, context) ? "saved" : "unsaved"
      last.text = "\(error)"
    } catch {
      last.outcome = Self.outcome(of: error)
      last.text = "\(error)"
    }
    last.end = name
    last.at = Playground.now
    try log.append(last)
  }

  private static func outcome(of error: any Error) -> String {
    switch error {
    case let error as StoreError where error.code == .busy: "busy"
    case let error as StoreError where error.code == .serverUnreachable: "unreachable"
    case let error as StoreError where error.code == .conflict: "conflict"
    case let error as ContextError where error.code == .conflict: "conflict"
    default: "error"
    }
  }

  /// Asks until a server answers whether a save or a batch whose outcome was unknown is there.
  ///
  /// The token of the error names an object whose version tells. Where it has none, the history is asked.
  private func isSaved(_ error: StoreError, _ name: String, _ context: ManagedObjectContext) throws -> Bool {
    let coordinator = context.persistentStoreCoordinator
    guard let store = coordinator.persistentStores.first as? PostgresStore,
      let entity = coordinator.managedObjectModel.entity(named: "Register")
    else { throw error }
    // Once a token is answered, whichever it is, the write is not in progress any more.
    let token =
      error.commitToken ?? CommitToken(store: store.identifier, entity: entity, reference: 0, version: 1)
    while true {
      do {
        let isSaved = try store.wasSaved(token)
        if error.commitToken != nil { return isSaved }
        let whole = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
        return try store.execute(whole).transactions.contains { $0.author == name }
      } catch let error as StoreError where [.serverUnreachable, .busy].contains(error.code) {
        usleep(100_000)
      }
    }
  }

  private func name() -> String { "\(number).\(life).\(operations)" }

  // MARK: Reading

  private func objects(_ group: Int, _ context: ManagedObjectContext) throws -> [ManagedObject] {
    try context.fetch(FetchRequest("Register", where: FetchPredicate(format: "group == %lld", group)))
  }

  private func row(_ object: ManagedObject) throws -> Line.Row {
    Line.Row(id: object.objectID.reference, value: try object.get("value", as: String.self) ?? "")
  }

  /// All of a group, by one statement.
  private func read(_ groups: [Int], _ context: ManagedObjectContext) throws -> [ManagedObject] {
    var found: [ManagedObject] = []
    var line = Line()
    line.kind = "read"
    line.groups = groups
    try log(line, context) { last in
      found = try groups.flatMap { try objects($0, context) }
      last.rows = try found.map(row)
    }
    known = Array((found.map(\.objectID) + known).prefix(40))
    return found
  }

  /// Several groups of one state of the store.
  private func readPinned(_ context: ManagedObjectContext) throws {
    var line = Line()
    line.kind = "read"
    line.groups = Array(Array(0..<Playground.groups).shuffled().prefix(3))
    try log(line, context) { last in
      try context.setQueryGenerationFrom(.current)
      last.rows = try (line.groups ?? []).flatMap { group in
        usleep(useconds_t.random(in: 0...2000))
        return try objects(group, context).map(row)
      }
    }
    try context.setQueryGenerationFrom(nil)
  }

  /// One object, which may have been deleted.
  private func look(_ context: ManagedObjectContext) throws {
    guard let id = known.randomElement() else { return }
    var line = Line()
    line.kind = "look"
    line.id = id.reference
    try log(line, context) { last in
      do {
        last.rows = [try row(context.existingObject(with: id))]
      } catch let error as ContextError where error.code == .objectNotFound {
        last.rows = []
      }
    }
  }

  // MARK: Writing

  /// Reads a group or two, and saves changes of what was read.
  private func save(_ context: ManagedObjectContext) throws {
    let group = Int.random(in: 0..<Playground.groups)
    var objects = try read([group], context)
    if Int.random(in: 0..<4) == 0 { objects += try read([(group + 1) % Playground.groups], context) }
    objects.shuffle()
    if Bool.random() { usleep(useconds_t.random(in: 0...3000)) }
    var line = Line()
    line.kind = "save"
    line.group = group
    let isFull = objects.count > 6
    let deleted = isFull || Int.random(in: 0..<10) == 0 ? objects.popLast().map { [$0] } ?? [] : []
    let updated = objects.prefix(.random(in: 1...3))
    let inserts = objects.count < 4 ? Int.random(in: 1...3) : Int.random(in: 0..<6) == 0 ? 1 : 0
    line.updates = try updated.map(row)
    line.deletes = try deleted.map(row)
    line.inserts = inserts
    if updated.isEmpty, deleted.isEmpty, inserts == 0 { return }
    try log(line, context) { last in
      for object in updated { try object.set("value", name()) }
      for object in deleted { try context.delete(object) }
      let new = try (0..<inserts).map { _ in
        let object = try context.insert("Register")
        try object.set("group", group)
        try object.set("value", name())
        return object
      }
      try context.save()
      last.ids = new.map(\.objectID.reference)
    }
  }

  private func batch(
    _ kind: String, _ context: ManagedObjectContext, _ body: (Int, inout Line) throws -> Void
  ) throws {
    var line = Line()
    line.kind = kind
    line.group = .random(in: 0..<Playground.groups)
    try log(line, context) { try body(line.group ?? 0, &$0) }
  }

  private func request(_ group: Int) throws -> FetchRequest {
    FetchRequest("Register", where: try FetchPredicate(format: "group == %lld", group))
  }

  private func batchUpdate(_ context: ManagedObjectContext) throws {
    try batch("batchUpdate", context) { group, last in
      last.count = try context.batchUpdate(request(group), set: ["value": .string(name())]).count
    }
  }

  private func batchInsert(_ context: ManagedObjectContext) throws {
    try batch("batchInsert", context) { group, last in
      let rows = (0..<Int.random(in: 1...3)).map { _ in
        ["group": AttributeValue.integer(Int64(group)), "value": .string(name())]
      }
      let result = try context.batchInsert(into: "Register", dictionaries: rows)
      last.count = result.count
      last.ids = result.references.map(Array.init)
    }
  }

  private func batchDelete(_ context: ManagedObjectContext) throws {
    try batch("batchDelete", context) { group, last in
      last.count = try context.batchDelete(request(group)).count
    }
  }
}
