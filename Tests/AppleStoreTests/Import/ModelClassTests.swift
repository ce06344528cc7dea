import AppleStore
import Foundation
import Strongroom
import StrongroomData
import Testing

@Suite("An imported store opened with classes")
struct ModelClassTests {
  @Test("has their models, relationships and arrays")
  func classes() async throws {
    let place = try Place()
    let (first, second) = (place.file("first.strongroom"), place.file("second.strongroom"))
    func container(_ url: URL) throws -> ModelContainer {
      var configuration = ModelConfiguration(url: url)
      configuration.keyVault = place.vault
      return try ModelContainer(for: Writer.self, Novel.self, configurations: configuration)
    }
    do {
      let context = ModelContext(try container(first))
      let writer = Writer(name: "Jane")
      context.insert(writer)
      for pages in [100, 200] {
        let novel = Novel(title: "N\(pages)", pages: pages, tags: ["a", "b\(pages)"])
        context.insert(novel)
        novel.writer = writer
      }
      try context.save()
    }
    let file = place.file("Out.sqlite")
    _ = try await AppleStoreExport.write(PersistentStoreDescription(url: first, vault: place.vault), to: file)
    let source = try AppleStore(url: file)
    let description = PersistentStoreDescription(url: second, vault: place.vault)
    let summary = try await source.importStore(into: description)
    #expect(summary.objectCount == 3 && summary.faultCount == 0)
    let context = ModelContext(try container(second))
    let novels = try context.fetch(FetchDescriptor<Novel>(sortBy: [SortDescriptor(\.pages)]))
    #expect(
      novels.map(\.title) == ["N100", "N200"] && novels.map(\.tags) == [["a", "b100"], ["a", "b200"]])
    #expect(novels.first?.writer?.name == "Jane" && novels.first?.writer?.novels.count == 2)
    #expect(novels.first?.read == Date(timeIntervalSinceReferenceDate: 0.25))
  }
}

@Model private final class Writer {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Novel.writer) var novels: [Novel] = []

  init(name: String) { self.name = name }
}

@Model private final class Novel {
  var title: String
  var pages: Int
  var tags: [String]
  var read = Date(timeIntervalSinceReferenceDate: 0.25)
  var writer: Writer?

  init(title: String, pages: Int, tags: [String]) {
    self.title = title
    self.pages = pages
    self.tags = tags
  }
}
