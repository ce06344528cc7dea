import BuiltProgram
import Foundation
import MappingModels
import Strongroom
import Testing

@Suite("strongroom model mapping, and strongroom migrate --mapping")
struct ModelMappingCommandTests {
  private func write(_ model: ManagedObjectModel, _ shelf: Shelf) throws -> String {
    let path = shelf.file("new.json")
    try model.jsonData().write(to: URL(fileURLWithPath: path))
    return path
  }

  private func renamed() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string)
        Attribute("pageCount", .integer64)
        Relationship("author", to: "Author", inverse: "books")
      }
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
      }
    }
  }

  @Test("writes an inferred mapping model, says what one does, and migrates by it")
  func whole() async throws {
    let shelf = try await Shelf()
    let model = try write(try renamed(), shelf)
    let file = shelf.file("Books.xcmappingmodel")
    let written = try shelf.run("model", "mapping", options: [model, "--output", file])
    #expect(written.code == 0 && written.output.contains("entity mappings 2"), "\(written)")
    var mapping = try MappingModel(contentsOf: URL(fileURLWithPath: file))
    #expect(mapping.entityMappings.map(\.name).sorted() == ["AuthorToAuthor", "BookToBook"])
    let place = try #require(mapping.entityMappings.firstIndex { $0.name == "BookToBook" })
    mapping.entityMappings[place][attribute: "pageCount"]?.valueExpression = .source("pages")
    try mapping.write(xcmappingmodel: URL(fileURLWithPath: file))
    let shown = try BuiltProgram.run(["model", "mapping", file])
    #expect(shown.code == 0 && shown.output.contains("$source.pages"), "\(shown)")
    #expect(
      shown.output.contains("from s to new.json") && shown.output.contains("needs no policy"), "\(shown)")
    let dry = try shelf.run("migrate", options: [model, "--mapping", file, "--dry-run"])
    #expect(
      dry.code == 1 && dry.output.contains("by AuthorToAuthor")
        && dry.output.contains("it would be migrated"), "\(dry)")
    #expect(
      try shelf.run("migrate", options: [model, "--mapping", file, "--dry-run", "--allow-loss"]).code == 0)
    let json = try shelf.run("migrate", options: [model, "--mapping", file, "--dry-run", "--json"])
    let forecast = try JSONDecoder().decode(StagedMigrationForecast.self, from: Data(json.output.utf8))
    #expect(forecast.stages.map(\.kind) == [.mappingModel])
    let refused = try shelf.run("migrate", options: [model, "--mapping", file])
    #expect(refused.code == 1 && refused.output.contains("--allow-loss"), "\(refused)")
    let done = try shelf.run("migrate", options: [model, "--mapping", file, "--allow-loss"])
    #expect(done.code == 0 && done.output.contains("migrated"), "\(done)")
    #expect(try shelf.names.contains("s.before-migration"))
    let rows = try shelf.run("query", options: ["Book", "--format", "csv", "--sort", "title"])
    #expect(rows.output.contains("Book 0") && rows.output.contains("100"), "\(rows)")
    let again = try shelf.run("migrate", options: [model, "--mapping", file])
    #expect(again.code == 0 && again.output.contains("nothing was done"), "\(again)")
  }

  @Test("a mapping model with policies is shown and not carried out")
  func policies() async throws {
    let shelf = try await Shelf()
    let model = try write(try renamed(), shelf)
    var mapping = MappingModel.inferred(from: try Shelf.model(), to: try renamed())
    mapping.entityMappings[0].entityMigrationPolicyClassName = "Shop.BookPolicy"
    let file = shelf.file("Books.xcmappingmodel")
    try mapping.write(xcmappingmodel: URL(fileURLWithPath: file))
    let shown = try BuiltProgram.run(["model", "mapping", file])
    #expect(shown.code == 0 && shown.output.contains("needs policies: Shop.BookPolicy"), "\(shown)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: shelf.store))
    for options in [[], ["--dry-run"], ["--allow-loss"]] {
      let refused = try shelf.run("migrate", options: [model, "--mapping", file] + options)
      #expect(refused.code == 1 && refused.output.contains("Shop.BookPolicy"), "\(refused)")
    }
    let again = try shelf.run("model", "mapping", options: [model, "--output", file])
    #expect(again.code == 1 && again.output.contains("already"), "\(again)")
    #expect(try MappingModel(contentsOf: URL(fileURLWithPath: file)).policyClassNames == ["Shop.BookPolicy"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: shelf.store)) == bytes)
  }
}
