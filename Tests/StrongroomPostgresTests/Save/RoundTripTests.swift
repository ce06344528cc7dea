import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("The round trips of a store on a server", .enabled(if: PostgresServer.programs != nil))
struct RoundTripTests {
  private let store: PostgresStore
  private let context: ManagedObjectContext

  init() async throws {
    let model = try ManagedObjectModel {
      Entity("Note") {
        Attribute("text", .string)
        Relationship("next", to: "Note", inverse: "previous")
        Relationship("previous", to: "Note", inverse: "next")
        Relationship("links", toMany: "Note", inverse: "backlinks")
        Relationship("backlinks", toMany: "Note", inverse: "links")
      }
    }
    store = try await PostgresFactory.store(model)
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(store)
    context = ManagedObjectContext(coordinator, isolation: nil)
  }

  private func trips(_ body: () throws -> Void) throws -> Int {
    let before = try store.roundTripCount
    try body()
    return try store.roundTripCount - before
  }

  /// Notes in a chain, each with a link to the next and to another one.
  ///
  /// They have their numbers, which are reserved in blocks.
  private func notes(_ count: Int, linkedTo other: ManagedObject? = nil) throws -> [ManagedObject] {
    let notes = try (0..<count).map { number in
      let note = try context.insert("Note")
      try note.set("text", "note \(number)")
      return note
    }
    for (note, next) in zip(notes, notes.dropFirst()) {
      try note.setObject(next, forKey: "next")
      try note.setObjects([next, other].compactMap { $0 }, forKey: "links")
    }
    try context.obtainPermanentIDs(for: notes)
    return notes
  }

  @Test("a save of any number of new objects with links takes a fixed number")
  func insertions() throws {
    func saved(_ count: Int) throws -> Int {
      _ = try notes(count)
      return try trips { try context.save() }
    }
    #expect(try [1, 2, 100].map(saved) == [1, 1, 1])
    // Before the rows, two for the rows, two for the links, the rest.
    #expect(try [1_000, 10_000].map(saved) == [6, 6])
    #expect(try store.count(for: FetchRequest("Note")) == 11_103)
  }

  @Test("one that links to stored objects, changes or deletes takes a fixed number")
  func changes() throws {
    let hub = try notes(1)[0]
    try context.save()
    var all: [[ManagedObject]] = []
    for count in [2, 100] {
      all.append(try notes(count, linkedTo: hub))
      #expect(try trips { try context.save() } == 1)
    }
    for (place, own) in all.enumerated() {
      for note in own { try note.set("text", "changed \(place)") }
      #expect(try trips { try context.save() } == 1)
    }
    for own in all {
      for note in own { try context.delete(note) }
      #expect(try trips { try context.save() } == 1)
    }
    #expect(try store.count(for: FetchRequest("Note")) == 1)
  }

  @Test("names with quotes, or that look like parameters, make no difference")
  func names() async throws {
    let (entity, text, links) = ("pay \"$1' it", "cost $2 'x", "links \"$3\"")
    let model = try ManagedObjectModel {
      Entity(entity) {
        Attribute(text, .string)
        Relationship(links, toMany: entity, inverse: "back $1")
        Relationship("back $1", toMany: entity, inverse: links)
      }
    }
    let store = try await PostgresFactory.store(model)
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(store)
    let context = ManagedObjectContext(coordinator, isolation: nil)
    var last: ManagedObject?
    for number in 0..<3 {
      let object = try context.insert(entity)
      try object.set(text, "$\(number)")
      try object.setObjects([last].compactMap { $0 }, forKey: links)
      try context.obtainPermanentIDs(for: [object])
      let before = try store.roundTripCount
      try context.save()
      #expect(try store.roundTripCount - before == 1)
      last = object
    }
    let other = ManagedObjectContext(coordinator, isolation: nil)
    let found = try other.fetch(FetchRequest(entity, sortDescriptors: [FetchSortDescriptor(text)]))
    #expect(try found.map { try $0.get(text, as: String.self) } == ["$0", "$1", "$2"])
    #expect(try found.map { try $0.objects(links).count } == [0, 1, 1])
  }

  @Test("one that meets another's change takes four more")
  func conflicts() throws {
    let note = try notes(1)[0]
    try context.save()
    let other = ManagedObjectContext(context.persistentStoreCoordinator, isolation: nil)
    let same = try other.existingObject(with: note.objectID)
    try same.set("text", "theirs")
    try note.set("text", "mine")
    try other.save()
    context.mergePolicy = .mergeByPropertyObjectTrump
    // Refused; found what it was, and rolled back; the row; saved.
    let count = try trips { try context.save() }
    #expect(count == 5)
    #expect(try store.count(for: FetchRequest("Note", where: .compare("text", .equal, "mine"))) == 1)
  }

  @Test("one of one round trip that cannot be composed leaves nothing of what was sent before")
  func refused() async throws {
    let server = try PostgresServer.shared()
    let notes = try await NoteStore(server.url, schema: server.newSchema())
    try notes.save(["a"])
    let before = try notes.store.roundTripCount
    #expect(try notes.refusal(["b", "c\0"]) == .invalidValue)
    // What was sent is ended by a failure, on the connection that is used again.
    #expect(try notes.store.roundTripCount - before == 1)
    #expect(try notes.texts == ["a"])
    try notes.save(["d"])
    #expect(try notes.texts == ["a", "d"])
    #expect(try notes.store.execute(.fetchHistory(after: nil)).transactions.count == 2)
  }

  @Test("a fetch, one object by its number and the destinations of many take one")
  func reads() throws {
    for count in [1, 100, 1_000] {
      let numbers = try notes(count).map(\.objectID.reference)
      try context.save()
      let entity = try #require(store.storeEntities.first?.entity)
      let links = try #require(entity.relationship(named: "links"))
      #expect(try trips { _ = try store.fetchNodes(FetchRequest("Note"), lookup: nil) } == 1)
      #expect(try trips { _ = try store.newValues(for: [numbers[0]], of: entity) } == 1)
      #expect(try trips { _ = try store.newValues(for: numbers, of: entity) } == 1)
      #expect(try trips { _ = try store.newValues(for: links, of: numbers) } == 1)
    }
  }

  @Test("a batch of new rows takes two for each 4,096, and three")
  func batches() throws {
    func inserted(_ count: Int) throws -> Int {
      try trips {
        try context.batchInsert(into: "Note", of: 0..<count) { row, number in
          try row.set("text", .string("note \(number)"))
        }
      }
    }
    // The numbers, two for the rows, the history, COMMIT.
    #expect(try inserted(1_000) == 5)
    #expect(try inserted(8_192) - inserted(4_096) == 2)
  }
}
