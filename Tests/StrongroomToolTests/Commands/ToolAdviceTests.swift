import BuiltProgram
import Foundation
import Strongroom
import Testing

@Suite("What the tool advises")
struct ToolAdviceTests {
  private func plain(_ result: (code: Int32, output: String), _ words: String...) {
    #expect(result.code != 0, "\(result)")
    for word in words { #expect(result.output.contains(word), "\(result)") }
    #expect(!result.output.contains("NSCocoaErrorDomain"), "\(result)")
  }

  @Test("a restore onto a file names --replace, which then works")
  func restore() async throws {
    let shelf = try await Shelf()
    #expect(try shelf.run("backup", options: [shelf.file("copy")]).code == 0)
    let arguments = ["restore", shelf.file("copy"), shelf.store] + shelf.vault
    plain(try BuiltProgram.run(arguments), "fileExists", "--replace", "`replacing: true`")
    #expect(try BuiltProgram.run(arguments + ["--replace"]).code == 0)
  }

  @Test("files that are missing or cannot be read are named by their path")
  func missing() async throws {
    let shelf = try await Shelf()
    let gone = shelf.file("gone")
    plain(try shelf.run("key", "recovery", "restore", options: ["--file", gone]), "no file at \(gone)")
    plain(try shelf.run("key", "recovery", "verify", options: ["--file", shelf.folder.path]), "is a folder")
    plain(
      try shelf.run("key", "add", options: ["--to", "passphrase", "--new-passphrase-file", gone]),
      "no file at \(gone)")
  }

  @Test("a key file that does not exist is named so, and a slash behind a store's name changes nothing")
  func mistypedPaths() async throws {
    let shelf = try await Shelf()
    let (code, output) = try BuiltProgram.run(["info", shelf.store, "--vault", "file:\(shelf.file("typo"))"])
    #expect(code == 1 && output.contains("typo, which does not exist"), "\(output)")
    #expect(try BuiltProgram.run(["query", shelf.store + "/", "Book"] + shelf.vault).code == 0)
    #expect(try shelf.names.filter { $0.hasPrefix("s") } == ["s"], "no log is left")
  }

  @Test("a code that cannot be shown names the option that writes it")
  func show() async throws {
    let shelf = try await Shelf()
    plain(try shelf.run("key", "recovery", "show"), "--file FILE")
    let key = try shelf.run("key", "show")
    #expect(key.code == 1 && !key.output.contains("--file FILE"), "\(key)")
  }

  @Test("a rotation says what becomes of backups, unless the old keys stay")
  func rotation() async throws {
    let shelf = try await Shelf()
    let kept = try shelf.run("key", "rotate", options: ["--keep-old"])
    #expect(kept.code == 0 && !kept.output.contains("new backup"), "\(kept)")
    let rotated = try shelf.run("key", "rotate", options: ["--discard-old"])
    #expect(rotated.code == 0 && rotated.output.contains("make a new backup"), "\(rotated)")
  }

  @Test("a rotation that would leave copies without a key is refused, and the code opens them after it")
  func rotationOfCopied() async throws {
    let shelf = try await Shelf()
    let (copy, code) = (shelf.file("copy"), shelf.file("code"))
    try FileManager.default.copyItem(atPath: shelf.store, toPath: copy)
    let before = try Data(contentsOf: URL(fileURLWithPath: shelf.store))
    plain(try shelf.run("key", "rotate"), "strongroom key recovery show", "--keep-old", "--discard-old")
    #expect(try Data(contentsOf: URL(fileURLWithPath: shelf.store)) == before)
    #expect(try shelf.run("key", "recovery", "show", options: ["--file", code]).code == 0)
    #expect(try shelf.run("key", "rotate").code == 0)
    let lost = try BuiltProgram.run(["query", copy, "Book"] + shelf.vault)
    #expect(lost.code == 1 && lost.output.contains("wrongKey"), "\(lost)")
    let restored = try BuiltProgram.run(["key", "recovery", "restore", copy, "--file", code] + shelf.vault)
    #expect(restored.code == 0, "\(restored)")
    #expect(try BuiltProgram.run(["query", copy, "Book"] + shelf.vault).code == 0)
    // The new code is not known to anybody yet.
    #expect(try shelf.run("key", "rotate").code == 1)
    // The present code alone does not open what an older key does.
    let newer = ["--file", shelf.file("newer")]
    #expect(try shelf.run("key", "recovery", "show", options: newer).code == 0)
    plain(try shelf.run("key", "rotate"), "older keys", "--keep-old", "--discard-old")
    #expect(try BuiltProgram.run(["query", copy, "Book"] + shelf.vault).code == 0)
  }

  @Test("where no model is found, nothing passes for checked", arguments: ["check", "try"])
  func noModel(command: String) async throws {
    let shelf = try await Shelf()
    let json = shelf.file("model.json")
    try Shelf.model().jsonData().write(to: URL(fileURLWithPath: json))
    for path in [json, shelf.folder.path, shelf.file("gone")] {
      let result = try BuiltProgram.run(["model", command, path])
      #expect(result.code == 1 && result.output.contains("no Core Data model at \(path)"), "\(result)")
    }
  }

  @Test("info shows the whole path of a store")
  func wholePath() async throws {
    let shelf = try await Shelf()
    let long = shelf.file(String(repeating: "long", count: 20))
    #expect(try shelf.run("backup", options: [long]).code == 0)
    let info = try BuiltProgram.run(["info", long] + shelf.vault)
    #expect(info.code == 0 && info.output.contains(long), "\(info)")
  }

  @Test("only what decrypt made is encrypted")
  func encrypt() async throws {
    let shelf = try await Shelf()
    let (own, made, plainFile) = (shelf.file("own.db"), shelf.file("made"), shelf.file("plain.db"))
    // An empty database of one page, as SQLite makes it.
    var page = Data("SQLite format 3\0".utf8) + Data([0x10, 0, 1, 1, 0, 64, 32, 32])
    page += Data(count: 4096 - page.count)
    page[100] = 13
    page[105] = 0x10
    try page.write(to: URL(fileURLWithPath: own))
    let before = try shelf.names
    plain(try BuiltProgram.run(["encrypt", own, made] + shelf.vault), "no store that was decrypted")
    #expect(try shelf.names == before)
    #expect(try shelf.run("decrypt", options: [plainFile, "--yes"]).code == 0)
    plain(try BuiltProgram.run(["info", plainFile] + shelf.vault), "one that `strongroom decrypt` made")
    #expect(try BuiltProgram.run(["encrypt", plainFile, made] + shelf.vault).code == 0)
    #expect(try BuiltProgram.run(["info", made] + shelf.vault).code == 0)
  }

  @Test("dates in a condition")
  func dates() async throws {
    let shelf = try await Shelf()
    let container = PersistentContainer(managedObjectModel: try Shelf.model(), description: shelf.description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    let book = try #require(try context.fetch(FetchRequest("Book")).first)
    try book.set("bought", Date(timeIntervalSince1970: 1_767_225_600))
    try context.save()
    try container.close()
    for (condition, count) in [
      ("bought >= CAST(1767225600 - 978307200, \"NSDate\")", "1\n"),
      ("bought > CAST(1767225600 - 978307200, \"NSDate\")", "0\n"),
      ("bought < now() - 86400 || bought >= now() - 86400", "1\n"),
    ] {
      let result = try shelf.run("query", options: ["Book", "--where", condition, "--count"])
      #expect(result.code == 0 && result.output == count, "\(condition): \(result)")
    }
    // A number is no date, and neither is a difference of numbers.
    for condition in ["bought > 1", "bought > 2020-05-06"] {
      let result = try shelf.run("query", options: ["Book", "--where", condition, "--count"])
      #expect(result.code != 0 && result.output.contains("write '2020-05-06'"), "\(condition): \(result)")
    }
  }
}
