import Foundation
import Glibc
import Strongroom
import Testing

@Suite("The shell")
struct ShellTests {
  /// A store of three books, opened by a file of keys.
  private func store(_ body: (_ store: String, _ keys: String) throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shell-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let book = Entity("Book") {
      Attribute("title", .string)
      Attribute("pages", .integer64)
      Attribute("place", .composite, composite: "Place")
      Relationship("author", to: "Author", inverse: "books")
      FetchIndex.fullText("words", on: "title")
    }
    let author = Entity("Author") {
      Attribute("name", .string)
      Relationship("books", toMany: "Book", inverse: "author")
    }
    let place = Composite("Place", [Attribute("shelf", .integer16)])
    let model = try ManagedObjectModel(ModelDeclaration(entities: [book, author], composites: [place]))
    let (store, keys) = (folder.appendingPathComponent("s"), folder.appendingPathComponent("keys"))
    let container = PersistentContainer(
      name: "s", managedObjectModel: model, url: store, vault: KeyFileVault(url: keys))
    try await container.loadPersistentStores()
    let context = container.newContext()
    let ada = try context.insert("Author")
    try ada.set("name", "Ada | Co")
    for (title, pages) in [("The Sea", 100), ("Sea and sky", 250), ("Ice", 400)] {
      let book = try context.insert("Book")
      try book.set("title", title)
      try book.set("pages", pages)
      if pages > 200 { try book.setObject(ada, forKey: "author") }
    }
    try context.save()
    try container.close()
    try body(store.path, keys.path)
  }

  private func process(_ store: String, _ keys: String) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("strongroom")
    process.arguments = ["shell", store, "--vault", "file:\(keys)", "--format", "csv"]
    return process
  }

  @Test("answers lines from a pipe, and goes on after a wrong one")
  func lines() async throws {
    try await store { store, keys in
      let process = process(store, keys)
      let (input, output) = (Pipe(), Pipe())
      process.standardInput = input
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let lines = """
        help
        .entities
        Book | where pages > 150 || title == 'x|y' | sort -pages | columns title, author.name, pages * 2
        Book | where author.name == "Ada | Co" | where pages < 300 | count
        Book | group author.name | aggregates sum:pages | having sum(pages) > 200
        Book | search sea | columns title
        Book | where nosuch == 1
        Book | frob
        Nobody
        .describe Author
        .describe Book
        Book | limit 1 | columns title | as json
        """
      input.fileHandleForWriting.write(Data((lines + "\n").utf8))
      try input.fileHandleForWriting.close()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 1, "a line was wrong")
      for part in [
        ".describe E   the properties of one", "Book,3\n",
        "title,author.name,pages * 2\nIce,Ada | Co,800\nSea and sky,Ada | Co,500\n", "\n1\n",
        "author.name,sum:pages\nAda | Co,650\n", "title\nThe Sea\nSea and sky\n",
        "Book has no property nosuch", "frob is not a stage",
        "it has Author, Book", "books,to many Book",
        "place.shelf,\"integer16, optional\"", "{\"title\":\"The Sea\"}",
      ] {
        #expect(text.contains(part), "\(part) is not in:\n\(text)")
      }
    }
  }

  @Test("completes names and remembers lines on a terminal")
  func terminal() async throws {
    try await store { store, keys in
      var (main, side): (CInt, CInt) = (0, 0)
      try #require(openpty(&main, &side, nil, nil, nil) == 0)
      let process = process(store, keys)
      let terminal = FileHandle(fileDescriptor: side, closeOnDealloc: true)
      process.standardInput = terminal
      process.standardOutput = terminal
      process.standardError = terminal
      process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "dumb"]) { _, new in new }
      try process.run()
      try terminal.close()
      let screen = FileHandle(fileDescriptor: main, closeOnDealloc: true)
      // Each tabulator completes what only one name begins with; the second line is the first
      // again.
      screen.write(Data("Bo\t | wh\t au\t.na\t == 'Ada | Co' | col\t ti\t,pl\t.sh\t\n".utf8))
      screen.write(Data("\u{10}\n.quit\n".utf8))
      var text = ""
      var bytes = [UInt8](repeating: 0, count: 4096)
      while true {
        // The terminal ends with an error when its process does.
        let count = read(main, &bytes, bytes.count)
        if count <= 0 { break }
        text += String(decoding: bytes[..<count], as: UTF8.self)
      }
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(text.contains("author.name == 'Ada | Co' | columns title,place.shelf"), "\(text)")
      #expect(
        text.components(separatedBy: "title,place.shelf\r\nSea and sky,\r\nIce,\r\n").count == 3, "\(text)")
    }
  }
}
