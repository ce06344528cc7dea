import BuiltProgram
import Foundation
import Glibc
import Strongroom
import Testing

@Suite("What the tool answers")
struct ToolTests {
  private func objects(_ text: String) throws -> [[String: Any]] {
    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
  }

  @Test("JSON has numbers as numbers, booleans as booleans and null for nothing")
  func json() async throws {
    let shelf = try await Shelf()
    let result = try shelf.run(
      "query",
      options: [
        "Book", "--sort", "pages", "--format", "json", "--columns",
        "title,pages,price,weight,read,bought,author.name,pages * 2",
      ])
    #expect(result.code == 0)
    #expect(
      result.output.split(separator: "\n").map(String.init) == [
        "[",
        "{\"author.name\":\"Ada\",\"bought\":null,\"pages\":100,\"pages *"
          + " 2\":200,\"price\":12.5,\"read\":true,\"title\":\"Book 0\",\"weight\":0.25},",
        "{\"author.name\":null,\"bought\":null,\"pages\":101,\"pages *"
          + " 2\":202,\"price\":null,\"read\":false,\"title\":\"Book 1\",\"weight\":null}",
        "]",
      ])
    let authors = try shelf.run(
      "query", options: ["Author", "--format", "json", "--columns", "name,books,books.@sum.pages"])
    #expect(authors.output == "[\n{\"books\":1,\"books.@sum.pages\":100,\"name\":\"Ada\"}\n]\n")
    let groups = try objects(
      shelf.run(
        "query",
        options: ["Book", "--format", "json", "--group-by", "read", "--aggregates", "count,sum:pages"]
      ).output)
    #expect(groups.count == 2)
    #expect(groups.allSatisfy { $0["count"] as? Int == 1 && $0["read"] is Bool && $0["sum:pages"] is Int })
    // As ever in tables and CSV.
    let csv = try shelf.run(
      "query", options: ["Book", "--sort", "pages", "--format", "csv", "--columns", "title,read,bought"])
    #expect(csv.output == "title,read,bought\nBook 0,true,\nBook 1,false,\n")
  }

  @Test("a dash before a key path sorts it in descending order")
  func descending() async throws {
    let shelf = try await Shelf()
    for options in [["--sort", "-pages"], ["--sort=-pages"], ["--sort", "-read,title"]] {
      let result = try shelf.run(
        "query", options: ["Book"] + options + ["--format", "csv", "--columns", "title"])
      let isFirst = options.contains("-read,title")
      #expect(
        result.output == (isFirst ? "title\nBook 0\nBook 1\n" : "title\nBook 1\nBook 0\n"), "\(result)")
    }
  }

  @Test("a condition takes objects and values as the tool shows them")
  func shownValues() async throws {
    let shelf = try await Shelf()
    func titles(_ condition: String) throws -> String {
      try shelf.run(
        "query", options: ["Book", "--where", condition, "--columns", "title", "--format", "csv"]
      ).output
    }
    let shown = try shelf.run(
      "query",
      options: ["Book", "--columns", "SELF,author", "--format", "csv", "--where", "title == 'Book 1'"])
    let row = try #require(shown.output.split(separator: "\n").last).split(
      separator: ",", omittingEmptySubsequences: false)
    for condition in ["SELF == \(row[0])", "_id == \(row[0])", "_id IN {\(row[0]), 99}"] {
      #expect(try titles(condition) == "title\nBook 1\n", "\(condition)")
    }
    let uri = "x-strongroom://00000000-0000-0000-0000-000000000000/Book/p\(row[0])"
    #expect(try titles("SELF == '\(uri)'") == "title\nBook 1\n")
    let container = PersistentContainer(managedObjectModel: try Shelf.model(), description: shelf.description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    let book = try #require(
      try context.fetch(FetchRequest("Book", where: .compare("title", .equal, .string("Book 0")))).first)
    try book.set("bought", Date(timeIntervalSinceReferenceDate: 86_400.25))
    try context.save()
    try container.close()
    for condition in [
      "bought == '2001-01-02T00:00:00.25Z'", "bought > '2001-01-02'", "bought < '2001-01-03'",
    ] {
      #expect(try titles(condition) == "title\nBook 0\n", "\(condition)")
    }
    #expect(try titles("bought > '2001-01-03'") == "title\n")
  }

  @Test("names that the store does not have are a query's error, which suggests the nearest")
  func names() async throws {
    let shelf = try await Shelf()
    for (options, words) in [
      (["Bok"], "Book"), (["Book", "--where", "titel == 'x'"], "title"),
      (["Book", "--sort", "page"], "pages"),
      (["Book", "--columns", "autor.name"], "author"),
      (["Author", "--columns", "books.@sum.pagse"], "pages"),
      (["Book", "--group-by", "raed"], "read"), (["Book", "--aggregates", "some:pages"], "sum"),
    ] {
      let result = try shelf.run("query", options: options)
      #expect(result.code == 1, "\(options): \(result)")
      #expect(result.output.contains("did you mean \(words)?"), "\(options): \(result.output)")
      #expect(!result.output.contains("Usage"), "\(options): \(result.output)")
    }
    let far = try shelf.run("query", options: ["Book", "--where", "xyzzy == 1"])
    #expect(far.code == 1 && far.output.contains("has no property xyzzy") && !far.output.contains("did you"))
    #expect(try shelf.run("query", options: ["Book", "--limit=-1"]).code == 64)
  }

  @Test("a file that is no store is named by its kind")
  func foreign() async throws {
    let shelf = try await Shelf()
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
      try Data(bytes).write(to: URL(fileURLWithPath: shelf.file(name)))
      return shelf.file(name)
    }
    func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }
    let sqlite = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 4080)
    for (path, words) in [
      (try write("text", Array(String(repeating: "a line of text\n", count: 500).utf8)), "text"),
      (try write("json", Array("{\"a\": [\(String(repeating: "1,", count: 1000))2]}".utf8)), "text"),
      (try write("plain", sqlite), "unencrypted SQLite database"),
      (try write("zip", [0x50, 0x4B, 3, 4] + random(8188)), "archive"),
      (try write("log", [0x37, 0x7F, 6, 0x82] + random(8188)), "log"),
      (try write("zeros", [UInt8](repeating: 0, count: 8192)), "not random enough to be encrypted"),
      (try write("short", random(1000)), "shorter"),
      (try write("odd", random(9 * 1024)), "1024"),
      (try write("stranger", random(8192)), "another program"),
      (shelf.folder.path, "folder"), ("/dev/null", "not a regular file"),
    ] {
      let result = try BuiltProgram.run(["info", path] + shelf.vault)
      #expect(result.code == 1 && result.output.contains(words), "\(path): \(result)")
    }
    // Whatever keyring is asked in vain, the file's own fault comes first.
    let nowhere = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent"]
    let text = try BuiltProgram.run(["info", shelf.file("text")], environment: nowhere)
    #expect(text.code == 1 && text.output.contains("text") && !text.output.contains("session bus"))
  }

  @Test("without a session bus the vaults that need none are named")
  func noSessionBus() async throws {
    let shelf = try await Shelf()
    let nowhere = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent"]
    let result = try BuiltProgram.run(["info", shelf.store], environment: nowhere)
    #expect(result.code == 1 && result.output.contains("noSessionBus"))
    for words in ["--vault file:PATH", "passphrase", "credential"] {
      #expect(result.output.contains(words), "\(result.output)")
    }
    #expect(!result.output.contains("dbus-run-session"))
  }

  @Test("a diagram, classes and differences are made of a store as of a model")
  func models() async throws {
    let shelf = try await Shelf()
    let diagram = try BuiltProgram.run(
      ["model", "diagram", shelf.store, "--format", "mermaid"] + shelf.vault)
    #expect(diagram.code == 0 && diagram.output.contains("Author"), "\(diagram)")
    let classes = try BuiltProgram.run(["model", "generate", shelf.store] + shelf.vault)
    #expect(classes.code == 0 && classes.output.contains("class Book"), "\(classes)")
    let json = shelf.file("model.json")
    try Shelf.model().jsonData().write(to: URL(fileURLWithPath: json))
    let same = try BuiltProgram.run(["model", "diff", json, shelf.store] + shelf.vault)
    #expect(same.code == 0 && same.output == "changes 0, the same storage\n", "\(same)")
  }

  @Test("an explanation says what the tool's user can do")
  func explanation() async throws {
    let shelf = try await Shelf()
    let words = try shelf.run("query", options: ["Book", "--where", "title SEARCH 'sea'", "--explain"])
    #expect(words.code == 0 && words.output.contains("Book.title"), "\(words)")
    #expect(
      words.output.contains("FetchIndex.fullText") && words.output.contains("--where"), "\(words)")
    let pages = try shelf.run("query", options: ["Book", "--where", "pages > 100", "--explain"])
    #expect(pages.output.contains("an index on Book.pages would help"), "\(pages)")
    let search = try shelf.run("query", options: ["Book", "--search", "sea"])
    #expect(search.code == 1 && search.output.contains("--where \"title CONTAINS[cd] 'WORDS'\""), "\(search)")
  }
}
