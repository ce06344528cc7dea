import Foundation
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
    #expect(dry.code == 0 && dry.output.contains("entity Author is dropped with 1 objects"), "\(dry)")
    #expect(dry.output.contains("Book.author is dropped, 1 references are dropped"), "\(dry)")
    let json = try shelf.run("migrate", options: [model, "--dry-run", "--json"])
    let forecast = try JSONDecoder().decode(MigrationForecast.self, from: Data(json.output.utf8))
    #expect(forecast.droppedObjectCount == 1 && forecast.isLossy)
    let refused = try shelf.run("migrate", options: [model])
    #expect(refused.code == 1, "\(refused)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: shelf.store)) == bytes)
    let done = try shelf.run("migrate", options: [model, "--allow-loss"])
    #expect(done.code == 0 && done.output.contains("migrated"), "\(done)")
    #expect(try shelf.names.contains("s.before-migration"))
    let again = try shelf.run("migrate", options: [model, "--dry-run"])
    #expect(again.code == 0 && again.output.contains("already"), "\(again)")
  }

  @Test("a dry run of what is impossible exits 1 with the reason")
  func impossible() async throws {
    let shelf = try await Shelf()
    let model = try write(try ManagedObjectModel { Entity("Book") { Attribute("title", .date) } }, shelf)
    let dry = try shelf.run("migrate", options: [model, "--dry-run"])
    #expect(dry.code == 1 && dry.output.contains("impossible: Book.title was string and is date"), "\(dry)")
    #expect(dry.output.contains("x-strongroom://"), "\(dry)")
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
    #expect(dry.code == 0 && dry.output.contains("stage 2, from version"), "\(dry)")
    #expect(dry.output.contains("  Book.pages is dropped"), "\(dry)")
    #expect(dry.output.contains("  Book.pages is new: date"), "\(dry)")
    let refused = try shelf.run("migrate", options: options)
    #expect(refused.code == 1 && refused.output.contains("--allow-loss"), "\(refused)")
    let done = try shelf.run("migrate", options: options + ["--allow-loss"])
    #expect(done.code == 0 && done.output.contains("migrated"), "\(done)")
  }
}
