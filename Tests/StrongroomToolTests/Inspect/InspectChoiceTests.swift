import Foundation
import Strongroom
import Testing

/// How a save through `strongroom inspect` ends that leads from one conflict to the next.
@Suite("Choices of a save that has several conflicts")
struct InspectChoiceTests {
  @Test("a choice counts until the save is made, and is forgotten by the next change or a new save")
  func oneAfterTheOther() async throws {
    let shelf = try await InspectShelf(books: 2)
    let (mine, other) = (try RunningInspect(shelf, "--write"), try RunningInspect(shelf, "--write"))
    let made = try #require(try await mine.tell("insert", ["entity": "Author"])["made"] as? [String: Any])
    let author = "\(try #require(made["number"] as? Int))"
    _ = try await mine.set("Author", author, "name", "Short-lived")
    #expect(try await mine.tell("save")["error"] == nil)
    let linked = try await mine.tell(
      "link",
      [
        "entity": "Book", "number": "2", "key": "author", "toEntity": "Author", "toNumber": author,
        "readNull": "1",
      ])
    #expect(linked["error"] == nil, "\(linked)")
    _ = try await other.delete("Author", author)
    #expect(try await other.tell("save")["error"] == nil)

    func conflict(_ answer: [String: Any]) throws -> [String: Any] {
      try #require((answer["conflicts"] as? [[String: Any]])?.first, "\(answer)")
    }
    func choice(_ conflict: [String: Any]) throws -> [String: String] {
      var choice = conflict.filter { ["entity", "number", "version", "kind"].contains($0.key) }
      choice["theirs"] = [""]
      let json = try JSONSerialization.data(withJSONObject: [choice])
      return ["choices": String(decoding: json, as: UTF8.self)]
    }
    let first = try conflict(try await mine.tell("save"))
    #expect(first["entity"] as? String == "Author" && first["kind"] as? String == "deletedThere", "\(first)")
    let second = try conflict(try await mine.tell("save", choice(first)))
    #expect(second["entity"] as? String == "Book", "\(second)")
    #expect(second["kind"] as? String == "missingDestination", "\(second)")
    // A save without choices asks from the beginning.
    #expect(try conflict(try await mine.tell("save"))["entity"] as? String == "Author")
    #expect(try conflict(try await mine.tell("save", choice(first)))["entity"] as? String == "Book")
    let saved = try await mine.tell("save", choice(second))
    #expect(saved["error"] == nil && saved["updated"] as? Int == 0, "\(saved)")
    #expect(try await other.ask("counts")["Author"] as? Int == 2)
    #expect(try await other.read("Book", "2", "author").value.isEmpty)
  }
}
