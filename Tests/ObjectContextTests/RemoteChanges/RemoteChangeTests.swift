import Foundation
import Locks
import Strongroom
import Testing

@Suite("What other processes commit", .timeLimit(.minutes(30)))
struct RemoteChangeTests {
  @Test("changes a store's count, and what the store itself writes and reads does not")
  func counting() async throws {
    let shelf = try await Neighbour()
    let (store, context) = (try shelf.store, shelf.container.newContext())
    func count() throws -> Int64 { try #require(try store.remoteChangeCount) }
    #expect(try count() == 0)
    // Enough for the log to be moved into the file and begun anew, several times.
    for _ in 0..<12 {
      for number in 0..<400 { try context.insert("Book").set("title", "own \(number)") }
      try context.save()
    }
    try context.batchDelete(FetchRequest("Book", where: FetchPredicate(format: "title == 'own 7'")))
    context.reset()
    // A long read takes the writer, so that one inside it takes a reader.
    var rows = FetchRequest("Book")
    rows.propertiesToFetch = [ExpressionDescription("title")]
    try context.enumerateRows(rows) { _ in
      _ = try context.count(for: FetchRequest("Author"))
      return false
    }
    let moment = try store.snapshot()
    #expect(try moment.remoteChangeCount == nil && moment.remoteChangeFiles.isEmpty)
    #expect(try count() == 0)
    #expect(try shelf.count { _ = try count() } == 0)
    try shelf.tell("insert Emma")
    let first = try count()
    #expect(first != 0)
    try context.insert("Author")
    try context.save()
    #expect(try count() == first)
    let other = try await shelf.other()
    let foreign = other.newContext()
    try foreign.insert("Author")
    try foreign.save()
    #expect(try count() != first)
    #expect(try InMemoryStore(model: Library.model(), description: .init(type: "")).remoteChangeCount == nil)
  }

  @Test("reports each commit once, and own saves never")
  func telling() async throws {
    let shelf = try await Neighbour()
    let (told, news) = (Locked<[UUID]>([]), shelf.container.persistentStoreCoordinator.remoteChanges())
    let listener = Task { for await change in news { told.withLock { $0.append(change.storeIdentifier) } } }
    func wait(_ wanted: Int) async throws {
      for _ in 0..<8000 where told.withLock({ $0.count }) < wanted {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    let context = shelf.container.newContext()
    for _ in 0..<5 {
      try context.insert("Author")
      try context.save()
    }
    try await Task.sleep(for: .milliseconds(400))
    #expect(told.withLock { $0.isEmpty })
    // New objects may take two commits, one of them for their numbers.
    try shelf.tell("insert Emma")
    let foreign = try await shelf.other().newContext()
    let author = try foreign.insert("Author")
    try foreign.save()
    try await wait(1)
    try await Task.sleep(for: .milliseconds(600))
    let before = told.withLock { $0.count }
    #expect(told.withLock { Set($0) } == [try shelf.store.identifier] && before <= 4)
    try shelf.tell("rename Emma Elinor")
    try await wait(before + 1)
    // In another coordinator of this process.
    try author.set("name", "Jane")
    try foreign.save()
    try await wait(before + 2)
    // Nothing is left to tell, also after own saves.
    try context.insert("Author")
    try context.save()
    try await Task.sleep(for: .milliseconds(1500))
    #expect(told.withLock { $0.count } == before + 2)
    listener.cancel()
    await listener.value
  }

  @Test(
    "is merged into registered objects, with one statement for each entity, and touches only what changed")
  func merging() async throws {
    let shelf = try await Neighbour()
    let context = shelf.container.newContext()
    let books = try ["Emma", "Persuasion", "Sanditon", "Lesley"].map { title in
      let book = try context.insert("Book")
      try book.set("title", title)
      return book
    }
    try context.save()
    let change = PersistentStoreRemoteChange(storeIdentifier: try shelf.store.identifier)
    try context.mergeChanges(from: change)
    try books[1].set("pages", 249)
    try books[3].set("pages", 12)
    try shelf.tell("rename Emma Elinor")
    try shelf.tell("rename Persuasion Elliots")
    try shelf.tell("delete Sanditon")
    try shelf.tell("delete Lesley")
    let changes = context.didChangeObjects()
    #expect(try shelf.count { try context.mergeChanges(from: change) } == 1)
    #expect(!books[0].isFault)
    let reading = try shelf.count { () throws in
      #expect(try books[0].get("title", as: String.self) == "Elinor")
      #expect(try books[1].get("title", as: String.self) == "Elliots")
      #expect(try books[1].get("pages", as: Int.self) == 249)
    }
    #expect(reading == 0)
    #expect(books[2].isDeleted && !books[2].hasChanges && books[3].hasChanges)
    var told = changes.makeAsyncIterator()
    let first = await told.next()
    #expect(Set(first?.refreshed ?? []) == [books[0].objectID, books[1].objectID])
    #expect(first?.deleted.count == 1)
    // What was deleted there and changed here is a conflict, as ever.
    #expect(throws: ContextError.self) { try context.save() }
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    // Nothing is new: rows are read, and nobody is told.
    context.processPendingChanges()
    told = context.didChangeObjects().makeAsyncIterator()
    try context.mergeChanges(from: change)
    try books[0].set("pages", 1)
    context.processPendingChanges()
    let second = await told.next()
    #expect(second?.updated == [books[0].objectID] && second?.refreshed == [])
  }

  @Test("comes into relationships that were read, though the row stayed as it was")
  func links() async throws {
    func linked(_ object: ManagedObject, _ name: String) throws -> Set<ManagedObject> {
      Set(try object.objects(name))
    }
    let shelf = try await Neighbour()
    let context = shelf.container.newContext()
    let (book, bare) = (try context.insert("Book"), try context.insert("Book"))
    try book.set("title", "Emma")
    try bare.set("title", "Bare")
    let tag = try context.insert("Tag")
    try tag.set("name", "novel")
    try book.add(tag, to: "tags")
    try context.save()
    #expect(try linked(tag, "books") == [book] && linked(bare, "tags").isEmpty)
    let change = PersistentStoreRemoteChange(storeIdentifier: try shelf.store.identifier)
    try shelf.tell("tag Bare novel")
    try context.mergeChanges(from: change)
    #expect(try linked(tag, "books") == [book, bare])
    #expect(try linked(bare, "tags") == [tag])
    try shelf.tell("delete Emma")
    try context.mergeChanges(from: change)
    #expect(try linked(tag, "books") == [bare])
  }

  @Test("shows in a view context and its live results by itself, in order")
  @MainActor func live() async throws {
    let shelf = try await Neighbour()
    let context = shelf.container.viewContext
    context.automaticallyMergesChangesFromParent = true
    for title in ["B", "D", "F"] { try context.insert("Book").set("title", title) }
    try context.save()
    let books = try FetchedResultsController(
      FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("title")]), in: context)
    try books.performFetch()
    var told: [String] = []
    books.onChange = { changes in
      for change in changes {
        switch change {
        case .insert(let book, let place):
          told.append("+\((try? book.get("title", as: String.self)) ?? "")@\(place.item)")
        case .delete(_, let place): told.append("-@\(place.item)")
        case .move(_, let from, let to): told.append("\(from.item)>\(to.item)")
        case .update(_, let place): told.append("=@\(place.item)")
        default: break
        }
      }
    }
    func titles() throws -> [String] {
      try books.fetchedObjects.compactMap { try $0.get("title", as: String.self) }
    }
    func wait(_ wanted: [String]) async throws {
      for _ in 0..<8000 where try titles() != wanted { try await Task.sleep(for: .milliseconds(5)) }
      #expect(try titles() == wanted && books.failure == nil)
    }
    try shelf.tell("insert C")
    try await wait(["B", "C", "D", "F"])
    try shelf.tell("rename B E")
    try await wait(["C", "D", "E", "F"])
    try shelf.tell("delete D")
    try await wait(["C", "E", "F"])
    #expect(told == ["+C@1", "0>2", "-@1"])
    // At rest nothing is asked of the store.
    try await Task.sleep(for: .seconds(1))
    let before = try shelf.statements
    try await Task.sleep(for: .seconds(1))
    #expect(try shelf.statements == before)
    // One statement for the rows that are held, and one for the list.
    try shelf.tell("insert G")
    try await wait(["C", "E", "F", "G"])
    #expect(try shelf.statements - before == 2)
  }

  @Test("comes into background contexts, and not into contexts that do not merge or are pinned")
  func contexts() async throws {
    let shelf = try await Neighbour()
    let background = shelf.container.newBackgroundContext()
    // nonisolated(unsafe): used inside the context's perform only.
    nonisolated(unsafe) var emma: ManagedObject?
    try await background.perform { context in
      context.automaticallyMergesChangesFromParent = true
      emma = try context.insert("Book")
      try emma?.set("title", "Emma")
      try context.save()
    }
    let (still, pinned) = (shelf.container.newContext(), shelf.container.newContext())
    try pinned.setQueryGenerationFrom(.current)
    let held = try [still, pinned].map { try #require(try $0.fetch(FetchRequest("Book")).first) }
    for book in held { #expect(try book.get("title", as: String.self) == "Emma") }
    try shelf.tell("rename Emma Elinor")
    var title: String?
    for _ in 0..<8000 where title != "Elinor" {
      try await Task.sleep(for: .milliseconds(5))
      title = try await background.perform { _ in try emma?.get("title", as: String.self) }
    }
    #expect(title == "Elinor")
    for book in held { #expect(try book.get("title", as: String.self) == "Emma") }
    #expect(try pinned.fetch(FetchRequest("Book")).first?.get("title", as: String.self) == "Emma")
    #expect(try still.fetch(FetchRequest("Book")).first?.get("title", as: String.self) == "Elinor")
    try await background.perform { _ in emma = nil }
  }
}
