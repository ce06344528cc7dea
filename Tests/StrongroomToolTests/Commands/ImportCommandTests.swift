import BuiltProgram
import Foundation
import Strongroom
import Testing

@Suite("strongroom import")
struct ImportCommandTests {
  private func report(_ text: String) throws -> [String: Any] {
    let start = try #require(text.firstIndex(of: "{"))
    return try #require(try JSONSerialization.jsonObject(with: Data(text[start...].utf8)) as? [String: Any])
  }

  @Test("names the columns that a model does not take, in text and JSON, and refuses a file that it does not")
  func unused() async throws {
    let shelf = try await Shelf()
    let (books, other, model) = (shelf.file("Book.csv"), shelf.file("other.csv"), shelf.file("model.json"))
    try Data("title,pages,ex\u{1B}tra\nEmma,474,x\n".utf8).write(to: URL(fileURLWithPath: books))
    try Data("a,b\n1,2\n".utf8).write(to: URL(fileURLWithPath: other))
    let declared = try ManagedObjectModel { Entity("Book") { Attribute("title", .string) } }
    try declared.jsonData().write(to: URL(fileURLWithPath: model))
    func run(_ store: String, _ more: [String]) throws -> (code: Int32, output: String) {
      try BuiltProgram.run(["import", shelf.file(store), "--model", model] + more + shelf.vault)
    }
    let text = try run("one", [books])
    #expect(text.code == 0 && text.output.contains("note: Book.pages is of no property; it is left out"))
    #expect(text.output.contains("note: Book.ex\\u{1b}tra is of no property"), "\(text)")
    let notes = try #require(try report(run("two", [books, "--json"]).output)["notes"] as? [String])
    #expect(notes.contains("Book.pages is of no property; it is left out"), "\(notes)")
    let refused = try run("three", [books, other])
    #expect(refused.code == 1 && refused.output.contains("no entity of the model is of the file other"))
    #expect(!FileManager.default.fileExists(atPath: shelf.file("three")))
  }

  @Test("makes an empty store of a model alone", arguments: [[], ["--json"]])
  func empty(options: [String]) async throws {
    let shelf = try await Shelf()
    let (made, model) = (shelf.file("made"), shelf.file("model.json"))
    try Shelf.model().jsonData().write(to: URL(fileURLWithPath: model))
    let result = try BuiltProgram.run(["import", made, "--model", model] + options + shelf.vault)
    #expect(result.code == 0 && result.output.contains(options.isEmpty ? "objects 0" : "\"faults\""))
    let schema = try BuiltProgram.run(["schema", made] + shelf.vault).output
    #expect(try schema == shelf.run("schema").output)
    #expect(try BuiltProgram.run(["verify", made] + shelf.vault).output.contains("no findings"))
    // What is there stays, and a model is needed.
    #expect(try BuiltProgram.run(["import", made, "--model", model] + shelf.vault).code == 1)
    let without = try BuiltProgram.run(["import", shelf.file("other")] + shelf.vault)
    #expect(without.code == 64 && without.output.contains("--model"), "\(without)")
  }

  @Test(
    "says of what an export wrote that it does not come back as the same store, and what does",
    arguments: ["json", "csv"])
  func exported(format: String) async throws {
    let shelf = try await Shelf()
    let (table, first) = (shelf.file("books.csv"), shelf.file("first"))
    try Data("title,pages\nEmma,474\n".utf8).write(to: URL(fileURLWithPath: table))
    #expect(try BuiltProgram.run(["import", first, table] + shelf.vault).code == 0)
    let out = shelf.file("out")
    let exported = try BuiltProgram.run(["export", first, out, "--yes", "--format", format] + shelf.vault)
    #expect(exported.code == 0, "\(exported)")
    let book = "\(out)/Book.\(format)"
    let inferred = try BuiltProgram.run(["import", shelf.file("second"), book] + shelf.vault)
    #expect(inferred.code == 0 && inferred.output.contains("note: these files are an export"), "\(inferred)")
    // The model names the table of the first import.
    let modelled = try BuiltProgram.run(
      ["import", shelf.file("third"), book, "--model", "\(out)/model.json"] + shelf.vault)
    #expect(modelled.code == 1 && modelled.output.contains("strongroom backup"), "\(modelled)")
    #expect(!FileManager.default.fileExists(atPath: shelf.file("third")))
    // The way back.
    let apple = shelf.file("apple.sqlite")
    #expect(try BuiltProgram.run(["export", first, apple, "--apple", "--yes"] + shelf.vault).code == 0)
    #expect(try BuiltProgram.run(["import", shelf.file("fourth"), apple] + shelf.vault).code == 0)
    let compared = try BuiltProgram.run(["compare", first, shelf.file("fourth")] + shelf.vault)
    // The import notes what it was made of, as metadata.
    #expect(compared.output.contains("links 0, differences 1\n"), "\(compared)")
    #expect(compared.output.contains("metadata is another"), "\(compared)")
    // Files of other origin.
    let plain = try BuiltProgram.run(["import", shelf.file("fifth"), table] + shelf.vault)
    #expect(plain.code == 0 && !plain.output.contains("export"), "\(plain)")
  }
}
