import BuiltProgram
import Foundation
import PostgresServer
import Testing

/// What `strongroom inspect` answers its page with, from files and from servers.
@Suite("What the page of a store is answered")
struct InspectStoreTests {
  private func numbers(_ answer: [String: Any]) throws -> [Int] {
    try #require(answer["rows"] as? [[String: Any]]).compactMap { $0["number"] as? Int }
  }

  private func browse(_ running: RunningInspect) async throws {
    let model = try await running.ask("model")
    #expect((model["entities"] as? [Any])?.count == 2)
    #expect(try await running.ask("counts")["Book"] as? Int == 1300)
    let first = try await running.ask("objects?entity=Book&sort=-pages")
    #expect(first["total"] as? Int == 1300)
    let deep = try await running.ask("objects?entity=Book&sort=-pages&offset=1200&limit=20")
    let whole = try await running.ask("objects?entity=Book&sort=-pages&limit=500")
    let later = try await running.ask("objects?entity=Book&sort=-pages&offset=400&limit=100")
    #expect(deep["total"] as? Int == 1300)
    #expect(try numbers(deep).count == 20)
    #expect(try numbers(later) == Array(numbers(whole)[400...]))
    let some = try await running.ask("objects?entity=Book&where=pages%20%3E%201390&sort=pages")
    #expect(some["total"] as? Int == 9)
    #expect(try numbers(some) == numbers(whole).prefix(9).reversed())
    let query = try await running.ask(
      "query?text=Book%20%7C%20where%20author%20%21%3D%20nil%20%7C%20columns%20title,author")
    let row = try #require((query["rows"] as? [[String: Any]])?.first)
    #expect(query["columns"] as? [String] == ["title", "author"])
    #expect((query["destinations"] as? [Any])?.last as? String == "Author")
    let object = try await running.ask("object?entity=Book&number=\(try #require(row["number"] as? Int))")
    #expect(object["title"] as? String == "Book 0", "\(row) \(object)")
    let changes = try await running.ask("changes?number=1&counts=1")
    #expect((changes["counts"] as? [String: Int])?["insert"] == 1302)
    #expect((changes["changes"] as? [Any])?.isEmpty == true)
  }

  @Test("pages, orders, conditions and queries of a file")
  func file() async throws {
    try await browse(try RunningInspect(try await InspectShelf(books: 1300)))
  }

  @Test("an object with a long transformable value is shown, with it and without it")
  func transformable() async throws {
    let shelf = try await InspectShelf(books: 2)
    let running = try RunningInspect(shelf)
    let value = try await running.read("Book", "1", "notes").value
    #expect(value["text"] as? String == #"{"shelf":7}"#, "\(value)")
    #expect(try await running.read("Book", "2", "notes").value["kind"] as? String == "null")
  }

  @Test("a page shows what was saved since the page before it")
  func changedBetweenPages() async throws {
    let shelf = try await InspectShelf(books: 1300)
    let (reader, writer) = (try RunningInspect(shelf), try RunningInspect(shelf, "--write"))
    let call = "objects?entity=Book&sort=-pages&offset=1200&limit=100"
    let before = try numbers(try await reader.ask(call))
    _ = try await writer.delete("Book", "\(before[0])")
    _ = try await writer.tell("save")
    let after = try await reader.ask(call)
    #expect(after["total"] as? Int == 1299)
    #expect(try numbers(after) == Array(before[1...]))
  }

  @Test(
    "a date is written in quotes, and the answer says so",
    arguments: [
      "bought%20%3E%202020-05-06", "bought%20%3E%20%27yesterday%27", "NOT%20bought%20%3D%3D%205",
      "bought%20BETWEEN%20%7B2020-01-01,2021-01-01%7D",
    ])
  func dates(_ condition: String) async throws {
    let running = try RunningInspect(try await InspectShelf(books: 1))
    let refused = try await running.ask("objects?entity=Book&where=\(condition)")
    #expect(
      (refused["error"] as? String)?.contains("bought is a date: write '2020-05-06'") == true, "\(refused)")
    for accepted in ["%272020-05-06%27", "now()", "CAST(0,%20%27NSDate%27)"] {
      let found = try await running.ask("objects?entity=Book&where=bought%20%3E%20\(accepted)")
      #expect(found["total"] as? Int != nil, "\(accepted) \(found)")
    }
  }

  @Test("a number is taken as a whole or refused, with how to write it")
  func typedNumbers() async throws {
    let running = try RunningInspect(try await InspectShelf(books: 1), "--write")
    let number = "\(try numbers(try await running.ask("objects?entity=Book"))[0])"
    for (key, text) in [
      ("price", "1,5"), ("price", "12.5 EUR"), ("price", "0x10"),
      ("price", String(repeating: "7", count: 50)),
      ("weight", "NaN"), ("weight", "1e999"),
    ] {
      let refused = try await running.tell(
        "set", ["entity": "Book", "number": number, "key": key, "value": text])
      #expect(
        (refused["error"] as? String)?.contains("write a number such as 12.5") == true, "\(text) \(refused)")
      #expect(refused["updated"] as? Int == 0)
    }
    let wrong = try await running.ask("objects?entity=Book&where=price%20%3E%20%271,5%27")
    #expect((wrong["error"] as? String)?.contains("price is a decimal: write a number such as 12.5") == true)
    let right = try await running.ask("objects?entity=Book&where=price%20%3E%20%271.5%27")
    #expect(right["total"] as? Int == 1)
  }

  @Test(
    "pages, orders, conditions, queries and changes of a store on a server",
    .enabled(if: PostgresServer.programs != nil))
  func server() async throws {
    let (shelf, server) = (try await InspectShelf(books: 1300), try PostgresServer.shared())
    let place = try server.address(of: server.newSchema())
    let moved = try BuiltProgram.run(["move", shelf.store, place] + shelf.vault)
    #expect(moved.code == 0, "\(moved)")
    let running = try RunningInspect(arguments: [place])
    try await browse(running)
    let title = try #require(try await running.ask("model")["title"] as? String)
    #expect(title.contains(#/^\w+, schema store \d+$/#), "\(title)")
    let refused = try #require(try await running.ask("check?start=1")["error"] as? String)
    #expect(refused.contains("pg_amcheck") && !refused.contains("verify"), "\(refused)")
    let verified = try BuiltProgram.run(["verify", place])
    #expect(verified.code == 64 && verified.output.contains("pg_amcheck"), "\(verified)")
    try await edit(
      try RunningInspect(arguments: ["--write", place]), try RunningInspect(arguments: ["--write", place]))
  }

  @Test("two writers of a file")
  func writers() async throws {
    let shelf = try await InspectShelf(books: 20)
    try await edit(try RunningInspect(shelf, "--write"), try RunningInspect(shelf, "--write"))
  }

  private func edit(_ mine: RunningInspect, _ other: RunningInspect) async throws {
    let found = try await mine.ask("objects?entity=Book&where=title%20%3D%3D%20%27Book%203%27")
    let number = "\(try numbers(found)[0])"
    func set(_ running: RunningInspect, _ key: String, _ value: String) async throws {
      let answer = try await running.set("Book", number, key, value)
      #expect(answer["updated"] as? Int == 1, "\(answer)")
    }
    try await set(mine, "title", "Mine")
    try await set(mine, "pages", "1")
    try await set(mine, "read", "true")
    try await set(other, "title", "Theirs")
    try await set(other, "pages", "2")
    try await set(other, "price", "7")
    #expect(try await other.tell("save")["error"] == nil)
    let refused = try await mine.tell("save")
    let conflict = try #require((refused["conflicts"] as? [[String: Any]])?.first, "\(refused)")
    let names = (conflict["properties"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
    #expect(conflict["kind"] as? String == "changed" && names == ["pages", "title"], "\(conflict)")
    let version = try #require(conflict["version"] as? Int)
    func choices(_ version: Int) -> [String: String] {
      ["choices": #"[{"entity":"Book","number":\#(number),"version":\#(version),"theirs":["title"]}]"#]
    }
    // A choice against another version is none.
    #expect(try await mine.tell("save", choices(version - 1))["conflicts"] != nil)
    let saved = try await mine.tell("save", choices(version))
    #expect(saved["error"] == nil && saved["updated"] as? Int == 0, "\(saved)")
    let object = try await other.ask("object?entity=Book&number=\(number)")
    let values = try #require(object["properties"] as? [[String: Any]]).reduce(into: [String: String]()) {
      $0[$1["name"] as? String ?? ""] = ($1["value"] as? [String: Any])?["text"] as? String
    }
    #expect(values["title"] == "Theirs" && values["pages"] == "1" && values["price"] == "7", "\(values)")
    #expect(values["read"] == "true", "\(values)")
    try await delete(number, mine, other)
  }

  /// The other deletes what is changed here, and mine is stored again.
  private func delete(_ number: String, _ mine: RunningInspect, _ other: RunningInspect) async throws {
    _ = try await mine.set("Book", number, "title", "Stays")
    _ = try await other.delete("Book", number)
    #expect(try await other.tell("save")["error"] == nil)
    let refused = try await mine.tell("save")
    let conflict = try #require((refused["conflicts"] as? [[String: Any]])?.first, "\(refused)")
    #expect(conflict["kind"] as? String == "deletedThere", "\(conflict)")
    let mineAgain = #"[{"entity":"Book","number":\#(number),"version":0,"theirs":[]}]"#
    #expect(try await mine.tell("save", ["choices": mineAgain])["error"] == nil)
    #expect(try await other.ask("object?entity=Book&number=\(number)")["title"] as? String == "Stays")
  }
}
