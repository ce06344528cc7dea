import BuiltProgram
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
    #expect(table.code == 0 && table.output.contains("| sync") && table.output.contains("| upd |"))
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

  @Test("follows what others save, and says what was deleted before it was shown")
  func following() async throws {
    let shelf = try await Shelf()
    let (output, notes) = (shelf.file("followed"), shelf.file("notes"))
    let process = Process()
    process.executableURL = BuiltProgram.url()
    process.arguments = ["history", shelf.store, "--follow", "--format", "csv"] + shelf.vault
    for path in [output, notes] { #expect(FileManager.default.createFile(atPath: path, contents: nil)) }
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: notes))
    try process.run()
    defer {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    func wait(_ path: String, for text: String) async throws -> Bool {
      for _ in 0..<8000 {
        if try String(contentsOfFile: path, encoding: .utf8).contains(text) { return true }
        try await Task.sleep(for: .milliseconds(10))
      }
      return false
    }
    let container = try await open(shelf)
    let context = container.newContext()
    let book = try #require(try context.fetch(FetchRequest("Book", fetchLimit: 1)).first)
    func save(as author: String) throws {
      context.transactionAuthor = author
      try book.set("title", "by \(author)")
      try context.save()
    }
    try save(as: "first")
    #expect(try await wait(output, for: "first"))
    kill(process.processIdentifier, SIGSTOP)
    try save(as: "second")
    _ = try context.execute(.deleteHistory(before: nil as PersistentHistoryToken?))
    try save(as: "third")
    kill(process.processIdentifier, SIGCONT)
    #expect(try await wait(output, for: "third"))
    #expect(try await wait(notes, for: "were deleted before they were shown"))
    #expect(try !String(contentsOfFile: output, encoding: .utf8).contains("second"))
    try container.close()
  }
}
