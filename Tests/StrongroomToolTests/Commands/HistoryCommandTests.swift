import Foundation
import Strongroom
import Testing

@Suite("strongroom history")
struct HistoryCommandTests {
  private func open(_ shelf: Shelf) async throws -> PersistentContainer {
    let container = PersistentContainer(
      managedObjectModel: try Shelf.model(), description: shelf.description)
    try await container.loadPersistentStores()
    return container
  }

  @Test("lists transactions and changes, in a table and as JSON, and says what it cannot find")
  func listing() async throws {
    let shelf = try await Shelf()
    let container = try await open(shelf)
    let context = container.newContext()
    context.transactionAuthor = "sync"
    let book = try #require(try context.fetch(FetchRequest("Book", fetchLimit: 1)).first)
    try book.set("title", "another")
    try context.save()
    try container.close()
    let table = try shelf.run("history")
    #expect(table.code == 0 && table.output.contains("| sync") && table.output.contains("updated"))
    let changes = try shelf.run("history", options: ["--author", "sync", "--changes", "--format", "json"])
    let rows = try JSONSerialization.jsonObject(with: Data(changes.output.utf8)) as? [[String: Any]]
    #expect(rows?.count == 1 && rows?[0]["change"] as? String == "update")
    #expect(rows?[0]["properties"] as? String == "title")
    #expect(try shelf.run("history", options: ["--entity", "Nothing"]).code == 1)
    #expect(try shelf.run("history", options: ["--where", "nothing == 1"]).output.contains("nothing"))
    #expect(try shelf.run("history", options: ["--follow", "--limit", "1"]).code == 64)
  }

  @Test("purges, says whom it waits for, and removes them")
  func purging() async throws {
    let shelf = try await Shelf()
    let container = try await open(shelf)
    try container.persistentStoreCoordinator.registerHistoryConsumer("widget")
    let context = container.newContext()
    try context.fetch(FetchRequest("Book")).forEach { try $0.set("title", "another") }
    try context.save()
    try container.close()
    #expect(try shelf.run("history", "consumers").output.contains("widget"))
    let purged = try shelf.run("history", "purge", options: ["--all"])
    #expect(purged.output.contains("stays for the consumer widget"), "\(purged.output)")
    #expect(try shelf.run("history", "consumers", options: ["--remove", "widget"]).code == 0)
    #expect(try shelf.run("history", "purge", options: ["--all"]).output.contains("deleted: 1"))
    #expect(try shelf.run("history").output.contains("no rows"))
    #expect(try shelf.run("history", "purge").code == 64, "one way must be given")
    #expect(try shelf.run("history", "head").code == 0)
    #expect(try shelf.run("verify").code == 0)
  }
}
