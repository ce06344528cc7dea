import Foundation
import Strongroom
import Testing

/// What a change through `strongroom inspect` is of: what its page has read.
@Suite("A change of what the page of a store has read")
struct InspectReadTests {
  private static let number = "1"

  private func pages(_ running: RunningInspect) async throws -> [String: Any] {
    try await running.read("Book", Self.number, "pages").value
  }

  @Test("no increment that two programs save is lost, whenever each of them has read")
  func increments() async throws {
    let shelf = try await InspectShelf(books: 1)
    let programs = try (0..<2).map { _ in try RunningInspect(shelf, "--write") }
    _ = try await programs[0].set("Book", Self.number, "pages", "0")
    #expect(try await programs[0].tell("save")["error"] == nil)
    var saved = 0
    // Every order of two reads, two changes and two saves.
    for order in ["001011", "010011", "001101", "010101", "011001", "000111", "010110", "001110", "011010"] {
      var steps = [0, 0]
      var read: [[String: Any]] = [[:], [:]]
      var isSet = [false, false]
      for digit in order {
        let one = digit == "0" ? 0 : 1
        switch steps[one] {
        case 0: read[one] = try await pages(programs[one])
        case 1:
          let text = try #require(read[one]["text"] as? String)
          let next = try #require(Int(text)) + 1
          let answer = try await programs[one].set("Book", Self.number, "pages", "\(next)", read: read[one])
          isSet[one] = answer["error"] == nil
          // The person sees what the property has now.
          if !isSet[one] { #expect((answer["value"] as? [String: Any])?["text"] as? String == "\(next)") }
        default:
          guard isSet[one] else { break }
          if try await programs[one].tell("save")["error"] == nil { saved += 1 }
          _ = try await programs[one].tell("rollback")
        }
        steps[one] += 1
      }
    }
    #expect(try await pages(programs[0])["text"] as? String == "\(saved)")
    #expect(saved >= 9)
  }

  @Test("a redo after a change that was refused passes over nothing that another program has saved")
  func redo() async throws {
    let shelf = try await InspectShelf(books: 1)
    let (mine, other) = (try RunningInspect(shelf, "--write"), try RunningInspect(shelf, "--write"))
    #expect(try await mine.set("Book", Self.number, "pages", "1")["error"] == nil)
    #expect(try await mine.tell("undo")["error"] == nil)
    #expect(try await other.set("Book", Self.number, "pages", "2")["error"] == nil)
    #expect(try await other.tell("save")["error"] == nil)
    #expect(try await mine.set("Book", Self.number, "pages", "many")["error"] != nil)
    _ = try await mine.tell("redo")
    _ = try await mine.tell("save")
    #expect(try await pages(other)["text"] as? String == "2")
  }

  @Test("a link, and a deletion, of what another program has changed is refused, and so is what was not read")
  func linksAndDeletions() async throws {
    let shelf = try await InspectShelf(books: 1)
    let (mine, other) = (try RunningInspect(shelf, "--write"), try RunningInspect(shelf, "--write"))
    let book = ["entity": "Book", "number": Self.number]
    let ada = try #require(try await mine.read("Book", Self.number, "author").value["number"] as? Int)
    let before = try await mine.read("Book", Self.number).version
    func link(_ running: RunningInspect, _ call: String, _ number: String, read: Int?) async throws
      -> String?
    {
      let read = read.map { ["read": "\($0)"] } ?? ["readNull": "1"]
      let link = ["key": "author", "toEntity": "Author", "toNumber": number]
      return try await running.tell(call, book.merging(link) { $1 }.merging(read) { $1 })["error"] as? String
    }
    #expect(try await link(other, "unlink", "\(ada)", read: ada) == nil)
    #expect(try await other.tell("save")["error"] == nil)
    #expect(try await link(mine, "link", "Grace", read: ada)?.contains("has changed it") == true)
    #expect(try await link(mine, "unlink", "\(ada)", read: ada)?.contains("has changed it") == true)
    let deleted = try await mine.tell("delete", book.merging(["version": before]) { $1 })
    #expect((deleted["error"] as? String)?.contains("has changed it") == true, "\(deleted)")
    for call in ["set", "delete"] {
      let blind = try await mine.tell(call, book.merging(["key": "title", "value": "Blind"]) { $1 })
      #expect((blind["error"] as? String)?.contains("the request has no") == true, "\(blind)")
    }
    #expect(try await mine.ask("edits")["updated"] as? Int == 0)
    #expect(try await link(mine, "link", "Grace", read: nil) == nil)
    #expect(try await mine.tell("save")["error"] == nil)
  }
}
