import BuiltProgram
import Foundation
import Glibc
import PostgresServer
import Strongroom
import StrongroomPostgres
import Testing

@Suite("The tool and servers", .enabled(if: PostgresServer.programs != nil))
struct MoveCommandTests {
  /// The address of a schema on the tests' server.
  private static func place(_ schema: String) throws -> String {
    try PostgresServer.shared().address(of: schema)
  }

  private static func isThere(_ schema: String) throws -> Bool {
    try PostgresServer.shared().execute("SELECT 1 FROM pg_namespace WHERE nspname = '\(schema)'").contains(
      "1")
  }

  @Test("a store moved to a server answers as the file does, and comes back the same")
  func answers() async throws {
    let shelf = try await Shelf(books: 30)
    let schema = try PostgresServer.shared().newSchema()
    let place = try Self.place(schema)
    let moved = try BuiltProgram.run(["move", shelf.store, place] + shelf.vault)
    #expect(moved.code == 0 && moved.output.contains("objects 31,"), "\(moved)")
    #expect(moved.output.contains("differences 0"), "\(moved)")
    let questions = [
      ["query", "Book", "--where", "pages > 110", "--sort", "pages", "--format", "csv"],
      ["query", "Author", "--format", "json", "--columns", "name,books,books.@sum.pages"],
      ["query", "Book", "--count"],
      ["query", "Book", "--group-by", "read", "--aggregates", "count,sum:pages", "--format", "json"],
      ["history", "--format", "json", "--changes"], ["model", "diagram", "--format", "mermaid"],
      ["model", "generate"],
    ]
    let model = shelf.file("model.json")
    try Shelf.model().jsonData().write(to: URL(fileURLWithPath: model))
    for question in questions {
      let words = question.prefix { !$0.hasPrefix("-") && !["Book", "Author"].contains($0) }
      let rest = question.dropFirst(words.count)
      let (file, server) = (
        try BuiltProgram.run(words + [shelf.store] + rest + shelf.vault),
        try BuiltProgram.run(words + [place] + rest)
      )
      #expect(file.code == 0 && server.code == 0, "\(question) \(server)")
      if words.first == "history" {
        #expect(server.output.components(separatedBy: "insert").count == 32)
      } else if question.contains("generate") {
        #expect(server.output.contains("class Book"))
      } else {
        #expect(file.output == server.output, "\(question)")
      }
    }
    let info = try BuiltProgram.run(["info", place, "--format", "csv"])
    #expect(info.code == 0 && info.output.contains("Book objects,30"), "\(info)")
    #expect(info.output.contains("schema,\(schema)"), "\(info)")
    #expect(try BuiltProgram.run(["schema", place]).output.contains("CREATE TABLE \"Book\""))
    #expect(try BuiltProgram.run(["model", "diff", place, model]).output.contains("the same storage"))
    let back = try BuiltProgram.run(["move", place, shelf.file("back"), "--json"] + shelf.vault)
    #expect(back.code == 0 && back.output.contains("\"differenceCount\" : 0"), "\(back)")
    let same = try BuiltProgram.run(["compare", shelf.store, shelf.file("back")] + shelf.vault)
    #expect(same.code == 0 && same.output.contains("objects 31,"), "\(same)")
    try PostgresServer.shared().execute("UPDATE \"\(schema)\".\"Book\" SET pages = 5 WHERE _id = 3")
    let other = try BuiltProgram.run(["compare", shelf.store, place] + shelf.vault)
    #expect(
      other.code == 1 && other.output.contains("Book.pages of object 3: it has another value"), "\(other)")
    let again = try BuiltProgram.run(["move", shelf.store, place] + shelf.vault)
    #expect(again.code == 1 && again.output.contains("fileExists"), "\(again)")
    // Export and migration of a store on a server.
    let export = try BuiltProgram.run(["export", place, shelf.file("folder"), "--yes"])
    #expect(export.code == 0 && export.output.contains("objects 31"), "\(export)")
    let migration = try BuiltProgram.run(["migrate", place, model, "--dry-run"])
    #expect(migration.code == 0, "\(migration)")
    // What names the address names no password.
    let secret = place + "&password=s3cr3t"
    for command in [["generate", secret, "--embed"], ["mapping", secret, model]] {
      let result = try BuiltProgram.run(["model"] + command)
      let text = result.output.replacing("_", with: " ")
      #expect(result.code == 0 && text.contains(schema), "\(result)")
      #expect(!result.output.contains("s3cr3t") && !result.output.contains("postgres"), "\(result)")
    }
    let json = try BuiltProgram.run(["compare", shelf.store, place, "--json"] + shelf.vault)
    #expect(json.code == 1 && json.output.contains("\"reference\" : 3"), "\(json)")
  }

  @Test("a comparison that is stopped says that, and nothing of a new store")
  func stopped() async throws {
    let shelf = try await Shelf(books: 10_000)
    var isStopped = false
    for number in 0..<20 where !isStopped {
      let (process, output) = (Process(), Pipe())
      process.executableURL = BuiltProgram.url()
      process.arguments = ["compare", shelf.store, shelf.store] + shelf.vault
      (process.standardOutput, process.standardError) = (output, output)
      try process.run()
      usleep(UInt32(50_000 + number * 100_000))
      process.interrupt()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(!text.contains("nothing was made"), "\(text)")
      isStopped = process.terminationReason == .exit && text == "Error: stopped\n"
    }
    #expect(isStopped)
  }

  @Test("commands for files alone say why, with the code of a wrong command line, and no password")
  func refusals() async throws {
    let shelf = try await Shelf()
    let secret = "s3cr3t-w0rd"
    let user = "postgresql://ada:\(secret)@db.example.org/library?schema=x"
    let item = "postgresql:///library?host=/nowhere&password=\(secret)&user=ada"
    for place in [user, item] {
      let commands = [
        ["compact", place], ["verify", place], ["backup", place, "copy"], ["restore", "copy", place],
        ["key", "show", place], ["key", "add", place, "--to", "keyring"],
        ["key", "forget", place, "--in", "keyring"], ["encrypt", "plain", place],
        ["decrypt", place, "x", "--yes"],
        ["convert-cipher", place], ["import", place, shelf.store], ["verify-import", place, "x"],
        ["history", "head", place], ["export", place, shelf.file("x"), "--apple", "--yes"],
      ]
      for command in commands {
        let result = try BuiltProgram.run(command, hasTerminal: false)
        #expect(result.code == 64, "\(command) \(result)")
        #expect(result.output.contains("a file and no server"), "\(command) \(result)")
        #expect(!result.output.contains(secret), "\(command) \(result)")
      }
      // Whatever else fails.
      for command in [
        ["info", place], ["move", place, shelf.file("y")], ["query", place, "Book", place], [place],
      ] {
        let result = try BuiltProgram.run(command + (command.count > 1 ? shelf.vault : []))
        #expect(result.code != 0 && !result.output.contains(secret), "\(command) \(result)")
      }
    }
    for place in ["postgresql://a b/c", "postgresql:///library?schema=%zz", "postgres://"] {
      let result = try BuiltProgram.run(["info", place])
      #expect(result.code == 1, "\(place) \(result)")
    }
  }

  @Test(
    "a move that is killed leaves nothing, wherever it is, and can be made again", arguments: [false, true])
  func killed(toServer: Bool) async throws {
    let shelf = try await Shelf(books: 10_000)
    let schema = try PostgresServer.shared().newSchema()
    let place = try Self.place(schema)
    var source = shelf.store
    if !toServer {
      #expect(try BuiltProgram.run(["move", shelf.store, place] + shelf.vault).code == 0)
      source = place
    }
    let target = toServer ? place : shelf.file("target")
    // The server notices the end of a connection a moment later.
    func isThere() throws -> Bool {
      for _ in 0..<100 {
        let isThere =
          try toServer ? Self.isThere(schema) : FileManager.default.fileExists(atPath: target)
        if !isThere { return false }
        usleep(50_000)
      }
      return true
    }
    var (killed, latest) = (0, 1_000_000)
    for _ in 0..<24 where killed < 5 {
      let process = Process()
      process.executableURL = BuiltProgram.url()
      process.arguments = ["move", source, target] + shelf.vault
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      let delay = Int.random(in: 40_000...latest)
      usleep(UInt32(delay))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      let isDone = try isThere()
      if !isDone, process.terminationReason == .uncaughtSignal {
        killed += 1
        continue
      }
      // Too late: what was made has to be whole, and the next is killed sooner.
      let result = try BuiltProgram.run(["compare", source, target] + shelf.vault)
      #expect(result.code == 0 && result.output.contains("objects 10001,"), "\(result)")
      latest = max(50_000, delay)
      if toServer {
        try PostgresServer.shared().execute("DROP SCHEMA \"\(schema)\" CASCADE")
      } else {
        for name in try shelf.names where name.hasPrefix("target") && !name.hasSuffix(".new") {
          try FileManager.default.removeItem(atPath: shelf.file(name))
        }
      }
    }
    #expect(killed > 2)
    let last = try BuiltProgram.run(["move", source, target] + shelf.vault)
    #expect(last.code == 0 && last.output.contains("differences 0") || last.output.contains("fileExists"))
    let result = try BuiltProgram.run(["compare", source, target] + shelf.vault)
    #expect(result.code == 0 && result.output.contains("objects 10001,"), "\(result)")
    if !toServer {
      // What killed moves left has a name of its own, and the next removes it once it is a minute old.
      let rest = try shelf.names.filter { $0.hasPrefix("target") && $0 != "target" && !$0.hasSuffix(".new") }
      #expect(rest.allSatisfy { $0.contains(".new") }, "\(rest)")
    }
  }
}
