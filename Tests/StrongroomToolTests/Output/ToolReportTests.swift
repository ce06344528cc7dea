import BuiltProgram
import Foundation
import Strongroom
import Testing

@Suite("What the tool reports")
struct ToolReportTests {
  private func json(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test("the facts of a store by name, and its numbers of objects by entity")
  func info() async throws {
    let shelf = try await Shelf()
    let info = try json(shelf.run("info", options: ["--json"]).output)
    #expect(info["objects"] as? [String: Int] == ["Author": 1, "Book": 2])
    #expect(info["store"] as? String == shelf.store && info["pages"] is Int && info["sqlite"] is String)
    #expect(info["recoveryCodeWasShown"] as? Bool == false && info["server"] == nil)
    let csv = try shelf.run("info", options: ["--format", "csv"]).output
    #expect(csv.contains("\nfree pages,0\n") && csv.contains("\nBook objects,2\n"), "\(csv)")
  }

  @Test("a store that was created is said to be there where its report finds no room")
  func fullDisk() async throws {
    let shelf = try await Shelf()
    let (table, made) = (shelf.file("books.csv"), shelf.file("made"))
    try Data("title,pages\nEmma,474\n".utf8).write(to: URL(fileURLWithPath: table))
    let imported = try BuiltProgram.run(["import", made, table, "--json"] + shelf.vault, to: "/dev/full")
    #expect(imported.code == 1 && imported.output.contains("created \(made) from"), "\(imported)")
    #expect(imported.output.contains("only the report") && !imported.output.contains("again"))
    #expect(try BuiltProgram.run(["info", made] + shelf.vault).code == 0)
    let backup = try BuiltProgram.run(
      ["backup", shelf.store, shelf.file("b")] + shelf.vault, to: "/dev/full")
    #expect(backup.output.contains("created \(shelf.file("b")); only the report"), "\(backup)")
  }

  @Test("a passphrase comes from a pipe too")
  func pipes() async throws {
    let shelf = try await Shelf()
    let tool = BuiltProgram.url().path
    let script = """
      printf 'title\\nEmma\\n' > books.csv
      '\(tool)' import --vault passphrase --passphrase-file <(echo secret) p books.csv >/dev/null &&
        '\(tool)' query --vault passphrase --passphrase-file <(echo secret) p Book --count
      """
    #expect(try Bash.run(script, in: shelf.folder).hasPrefix("1"))
  }

  @Test("the place of a model by its whole name, and an attribute of a type that is not known")
  func modelCheck() async throws {
    let shelf = try await Shelf()
    let version = shelf.folder.appendingPathComponent("Books.xcdatamodeld/Books 2.xcdatamodel")
    try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0"><entity name="Book">
      <attribute name="pages" attributeType="Integer 31"/></entity></model>
      """
    try Data(text.utf8).write(to: version.appendingPathComponent("contents"))
    for path in [version.deletingLastPathComponent().path, version.path] {
      let result = try BuiltProgram.run(["model", "check", path])
      #expect(result.output.contains("\(version.path): error: "), "\(result)")
      #expect(result.output.contains("one that is not known"), "\(result)")
    }
  }
}
