import BuiltProgram
import Foundation
import FoundationNetworking
import PostgresServer
import Testing

/// A search that takes hours holds nothing up.
@Suite("A long search of the page of a store", .timeLimit(.minutes(30)))
struct InspectInterruptionTests {
  /// Every book with every book, four times over.
  private static let search =
    "objects?entity=Book&where="
    + ("SUBQUERY(author.books, $b, SUBQUERY($b.author.books, $c, SUBQUERY($c.author.books, $d,"
    + " $d.title CONTAINS 'q').@count > 5).@count > 5).@count > 5")
    .addingPercentEncoding(withAllowedCharacters: .alphanumerics)!

  private func shelf() async throws -> InspectShelf { try await InspectShelf(books: 400, isOneAuthors: true) }

  /// Asks for the search; its answer is JSON.
  private func search(_ running: RunningInspect) throws -> Task<String, any Error> {
    let url = try #require(URL(string: "api/\(Self.search)", relativeTo: running.address))
    return Task { String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self) }
  }

  /// Waits until the program computes, or its server does.
  private func begun(_ running: RunningInspect, isOnServer: Bool = false) async throws {
    if isOnServer { return try await Task.sleep(for: .seconds(2)) }
    let before = try running.processorSeconds
    while try running.processorSeconds < before + 0.3 { try await Task.sleep(for: .milliseconds(20)) }
  }

  /// The number of a book, and its pages as they are read: what a page asks while a search runs waits for it.
  private func book(_ running: RunningInspect) async throws -> (number: String, pages: [String: Any]) {
    let found = try await running.ask("objects?entity=Book&limit=1")
    let number = try #require((found["rows"] as? [[String: Any]])?.first?["number"] as? Int)
    return ("\(number)", try await running.read("Book", "\(number)", "pages").value)
  }

  private func edit(_ running: RunningInspect, _ book: (number: String, pages: [String: Any])) async throws {
    let edits = try await running.set("Book", book.number, "pages", "1", read: book.pages)
    #expect(edits["error"] == nil && edits["updated"] as? Int == 1, "\(edits)")
  }

  @Test("gives way to a change and to a save, and its page can ask again", arguments: [false, true])
  func change(isEdited: Bool) async throws {
    let running = try RunningInspect(try await shelf(), "--write")
    let book = try await book(running)
    if isEdited { try await edit(running, book) }
    let search = try search(running)
    try await begun(running)
    if isEdited {
      #expect(try await running.tell("save")["error"] == nil)
    } else {
      try await edit(running, book)
    }
    let interrupted = try await search.value
    #expect(interrupted.contains(#""isInterrupted":true"#), "\(interrupted)")
    #expect(try await running.tell("save")["error"] == nil)
  }

  @Test("ends when its client closes the connection")
  func left() async throws {
    let running = try RunningInspect(try await shelf())
    let search = try search(running)
    try await begun(running)
    search.cancel()
    #expect(try await running.ask("counts")["Book"] as? Int == 400)
  }

  @Test("ends with the program, which says what was not saved", arguments: [false, true])
  func end(isEdited: Bool) async throws {
    let running = try RunningInspect(try await shelf(), "--write")
    let book = try await book(running)
    if isEdited { try await edit(running, book) }
    let search = try search(running)
    try await begun(running)
    let said = running.interrupt()
    #expect(said == (isEdited ? "The changes of 1 object were not saved.\n" : ""))
    _ = await search.result
  }

  @Test("gives way on a server, too", .enabled(if: PostgresServer.programs != nil))
  func server() async throws {
    let (shelf, server) = (try await shelf(), try PostgresServer.shared())
    let place = try server.address(of: server.newSchema())
    let moved = try BuiltProgram.run(["move", shelf.store, place] + shelf.vault)
    #expect(moved.code == 0, "\(moved)")
    let running = try RunningInspect(arguments: ["--write", place])
    let book = try await book(running)
    let search = try search(running)
    try await begun(running, isOnServer: true)
    try await edit(running, book)
    #expect(try await search.value.contains(#""isInterrupted":true"#))
  }
}
