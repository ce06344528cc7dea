import BuiltProgram
import Foundation
import PostgresServer
import Strongroom
import Testing

@Suite("strongroom migrate")
struct MigrateCommandTests {
  private func write(
    _ model: ManagedObjectModel, _ shelf: Shelf, _ name: String = "new.json"
  ) throws -> String {
    let path = shelf.file(name)
    try model.jsonData().write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("a dry run says what would happen, and changes nothing; loss has to be allowed")
  func dryRun() async throws {
    let shelf = try await Shelf()
    let model = try write(
      try ManagedObjectModel {
        Entity("Book") {
          Attribute("title", .string)
          Attribute("pages", .integer64)
        }
      }, shelf)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: shelf.store))
    let dry = try shelf.run("migrate", options: [model, "--dry-run"])
    #expect(dry.code == 1 && dry.output.contains("entity Author is dropped with 1 object"), "\(dry)")
    #expect(try shelf.run("migrate", options: [model, "--dry-run", "--allow-loss"]).code == 0)
    #expect(dry.output.contains("Book.author is dropped, 1 reference is dropped"), "\(dry)")
    let json = try shelf.run("migrate", options: [model, "--dry-run", "--json"])
    let forecast = try JSONDecoder().decode(MigrationForecast.self, from: Data(json.output.utf8))
    #expect(forecast.droppedObjectCount == 1 && forecast.isLossy)
    let refused = try shelf.run("migrate", options: [model])
    #expect(refused.code == 1, "\(refused)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: shelf.store)) == bytes)
    let done = try shelf.run("migrate", options: [model, "--allow-loss"])
    #expect(done.code == 0 && done.output.contains("migrated"), "\(done)")
    #expect(try shelf.names.contains("s.before-migration"))
    let command = "strongroom restore --replace \(shelf.store).before-migration \(shelf.store)"
    #expect(done.output.contains(command) && dry.output.contains("only --allow-loss lets it"), "\(done)")
    let again = try shelf.run("migrate", options: [model, "--dry-run"])
    #expect(again.code == 0 && again.output.contains("already"), "\(again)")
  }

  @Test(
    "on a server a loss says which schema has the copy, and how to remove it",
    .enabled(if: PostgresServer.programs != nil))
  func server() async throws {
    let (shelf, server) = (try await Shelf(), try PostgresServer.shared())
    let schema = server.newSchema()
    let place = try server.address(of: schema)
    #expect(try BuiltProgram.run(["move", shelf.store, place] + shelf.vault).code == 0)
    let model = try write(try ManagedObjectModel { Entity("Book") { Attribute("title", .string) } }, shelf)
    let dry = try BuiltProgram.run(["migrate", place, model, "--dry-run"])
    #expect(dry.code == 1 && dry.output.contains("a copy stays in a schema of its own"), "\(dry)")
    let mapping = try BuiltProgram.run(["migrate", place, model, "--mapping", shelf.file("x.cdm")])
    #expect(mapping.code == 64 && mapping.output.contains("to files only"), "\(mapping)")
    let done = try BuiltProgram.run(["migrate", place, model, "--allow-loss"])
    #expect(done.code == 0 && done.output.contains("DROP SCHEMA \"\(schema)_before_…\""), "\(done)")
    #expect(!done.output.contains("restore"), "\(done)")
    let copies = try server.execute("SELECT nspname FROM pg_namespace WHERE nspname ~ '^\(schema)_before_'")
    let copy = try #require(copies.split(separator: "\n").first.map(String.init))
    let old = try BuiltProgram.run(["query", try server.address(of: copy), "Author", "--count"])
    #expect(old.output == "1\n", "\(old)")
    let again = try BuiltProgram.run(["migrate", place, model])
    #expect(again.code == 0 && !again.output.contains("DROP"), "\(again)")
  }

  @Test("a dry run of what is impossible exits 1 with the reason")
  func impossible() async throws {
    let shelf = try await Shelf()
    let model = try write(try ManagedObjectModel { Entity("Book") { Attribute("title", .date) } }, shelf)
    let dry = try shelf.run("migrate", options: [model, "--dry-run"])
    #expect(dry.code == 1 && dry.output.contains("impossible: Book.title was string and is date"), "\(dry)")
    #expect(dry.output.contains("x-strongroom://") && !dry.output.contains("--allow-loss"), "\(dry)")
  }

  @Test("objects stand under the reason that they are in the way for, and the rest of many is counted")
  func objects() async throws {
    let shelf = try await Shelf(books: 8)
    let model = try write(
      try ManagedObjectModel {
        Entity("Book") {
          Attribute("title", .string)
          Attribute("pages", .date)
          Attribute("due", .date, optional: false)
        }
      }, shelf)
    let dry = try shelf.run("migrate", options: [model, "--dry-run"])
    #expect(dry.code == 1)
    let lines = dry.output.split(separator: "\n").map(String.init)
    for reason in ["impossible: Book.pages was integer64", "impossible: Book.due is required"] {
      let place = try #require(lines.firstIndex { $0.hasPrefix(reason) }, "\(dry)")
      #expect(lines[(place + 1)...(place + 5)].allSatisfy { $0.hasPrefix("  x-strongroom://") })
      #expect(lines[place + 6] == "  and 3 more")
    }
  }

  @Test("exchanged renaming identifiers of a store that has the version are no reason for anything")
  func current() async throws {
    let shelf = try await Shelf()
    var declaration = try Shelf.model().declaration
    declaration.entities[0].renamingIdentifier = "Author"
    declaration.entities[1].renamingIdentifier = "Book"
    let model = try write(try ManagedObjectModel(declaration), shelf)
    let dry = try shelf.run("migrate", options: [model, "--dry-run", "--json"])
    let forecast = try JSONDecoder().decode(MigrationForecast.self, from: Data(dry.output.utf8))
    #expect(dry.code == 0 && forecast.isCurrent && !forecast.isLossy && forecast.issues.isEmpty)
  }

  @Test("--through takes each step, and a dry run tells each")
  func through() async throws {
    let shelf = try await Shelf()
    let without = try write(try ManagedObjectModel { Entity("Book") { Attribute("title", .string) } }, shelf)
    let model = try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string)
        Attribute("pages", .date)
      }
    }
    let last = try write(model, shelf, "last.json")
    let options = [last, "--through", without]
    let dry = try shelf.run("migrate", options: options + ["--dry-run"])
    #expect(dry.code == 1 && dry.output.contains("stage 2, from version"), "\(dry)")
    #expect(dry.output.contains("  Book.pages is dropped"), "\(dry)")
    #expect(dry.output.contains("  Book.pages is new: date"), "\(dry)")
    let refused = try shelf.run("migrate", options: options)
    #expect(refused.code == 1 && refused.output.contains("--allow-loss"), "\(refused)")
    let done = try shelf.run("migrate", options: options + ["--allow-loss"])
    #expect(done.code == 0 && done.output.contains("migrated"), "\(done)")
  }
}
