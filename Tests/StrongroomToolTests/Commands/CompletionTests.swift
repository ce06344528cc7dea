import BuiltProgram
import Foundation
import Testing

@Suite("Completion of command lines")
struct CompletionTests {
  /// What Bash offers for the last of some words, which are those that it makes of a line.
  private func offered(_ words: [String], in folder: URL) throws -> [String] {
    let tool = BuiltProgram.url()
    let line = words.map { "'\($0)'" }.joined(separator: " ")
    let script = """
      PATH=\(tool.deletingLastPathComponent().path):$PATH
      source <(strongroom --generate-completion-script bash)
      COMP_WORDS=(strongroom \(line)); COMP_CWORD=\(words.count)
      COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
      _strongroom strongroom "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}" 2>&1
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    return try Bash.run(script, in: folder).split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }

  @Test("the entities of the store, and the properties of the one that is named")
  func names() async throws {
    let shelf = try await Shelf()
    let start = ["query", "--vault", "file:keys", "s"]
    #expect(try offered(start + [""], in: shelf.folder) == ["Author", "Book"])
    #expect(try offered(start + ["B"], in: shelf.folder) == ["Book"])
    #expect(
      try offered(start + ["Author", "--sort", ""], in: shelf.folder) == ["books", "name"])
    #expect(
      try offered(start + ["Author", "--columns", "name,"], in: shelf.folder) == ["name,books", "name,name"])
    #expect(
      try offered(["history", "list", "s", "--vault=file:keys", "--entity", ""], in: shelf.folder)
        == ["Author", "Book"])
  }

  @Test("words as Bash takes them apart at a colon find the store behind them")
  func colons() async throws {
    let shelf = try await Shelf()
    let words = ["query", "--vault", "file", ":", "keys", "s", "Book", "--sort", "p"]
    #expect(try offered(words, in: shelf.folder) == ["pages", "price"])
  }

  @Test("nothing is offered, said or asked where a store does not open, or is none")
  func nothing() async throws {
    let shelf = try await Shelf()
    for words in [
      ["query", "gone", ""], ["query", "keys", ""], ["query", "--vault", "passphrase", "s", ""],
    ] {
      #expect(try offered(words, in: shelf.folder).isEmpty, "\(words)")
    }
  }
}
