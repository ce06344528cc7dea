import Foundation
import Strongroom
import Synchronization
import TableImport
import Testing

@Suite("A database made into an encrypted store")
struct DatabaseImportTests {
  @Test("keeps references to keys that are compared without case")
  func caseless() async throws {
    let place = try Place()
    let summary = try await TableSource([place.database("caseless.sqlite")]).importStore(
      into: place.description)
    #expect(summary.faultCount == 0 && summary.linkCount == 2)
  }

  @Test("has its rows under their numbers, and its references")
  func everything() async throws {
    let place = try Place()
    let file = try place.database()
    let before = try Data(contentsOf: file)
    let faults = Mutex<[TableImportFault]>([])
    let summary = try await TableSource([file]).importStore(into: place.description) { fault in
      faults.withLock { $0.append(fault) }
    }
    #expect(
      summary.objects == [
        "Author": 3, "Book": 3, "Country": 2, "Line": 3, "Order": 2, "Passport": 2, "Point": 3, "Tag": 2,
      ])
    let found = Set(faults.withLock { $0 }.map { "\($0.kind) \($0.table).\($0.column ?? "")" })
    #expect(
      found == [
        "dangling authors.country_code", "dangling books.author_id", "dangling lines.shop, number",
        "dangling book_tags.isbn", "repeatedLink book_tags.",
      ])
    #expect(summary.faultCount == 5 && summary.linkCount == 12)
    #expect(try Data(contentsOf: file) == before)
    let left = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
    #expect(left.allSatisfy { $0 == "made.sqlite" || $0.hasPrefix("new.strongroom") })

    let container = try await place.open()
    let context = container.newContext()
    let author = try #require(try context.fetch(FetchRequest("Author")).first { $0.objectID.reference == 2 })
    #expect(try author.get("name", as: String.self) == "Ben")
    #expect(try author.object("parent")?.get("id", as: Int.self) == 1)
    #expect(try author.object("passport")?.get("number", as: String.self) == "P1")
    #expect(try author.object("countryCode")?.get("name", as: String.self) == "France")
    let books = try context.fetch(FetchRequest("Book"))
    let one = try #require(try books.first { try $0.get("isbn", as: String.self) == "a" })
    #expect(try one.value(forKey: "price") == .decimal(Decimal(string: "9.9") ?? 0))
    #expect(try one.value(forKey: "added") == .date(Date(timeIntervalSince1970: 1_700_000_000)))
    #expect(
      try one.value(forKey: "cover") == .data(Data([1, 2])))
    #expect(try one.objects("tags").count == 2)
    let line = try #require(try context.fetch(FetchRequest("Line")).first)
    #expect(try line.object("order")?.get("number", as: Int.self) == 1)
    let points = try context.fetch(FetchRequest("Point")).map { try $0.get("id", as: Int.self) ?? 9 }
    #expect(points.sorted() == [-1, 0, 5], "numbers below 1 stay values")
    let new = try context.insert("Author")
    try new.set("id", 10)
    try new.set("name", "Eve")
    try context.save()
    #expect(new.objectID.reference == 10, "the number of a deleted row is not given out again")
    try container.close()
    #expect(try await SQLCipherStore.verify(place.description).allSatisfy { $0.kind == .missingValue })
  }

  @Test("follows a model that was corrected")
  func corrected() async throws {
    let place = try Place()
    let file = try place.database()
    var declaration = try TableSource([file]).model.declaration
    declaration.entities.removeAll { ["Line", "Order"].contains($0.name) }
    let index = try #require(declaration.entities.firstIndex { $0.name == "Book" })
    let pages = try #require(declaration.entities[index].attributes.firstIndex { $0.name == "pages" })
    declaration.entities[index].attributes[pages].name = "pageCount"
    declaration.entities[index].attributes[pages].type = .integer32
    declaration.entities[index].attributes.append(Attribute("rating", .integer16, default: 3))
    let written = place.file("Corrected.xcdatamodeld")
    try declaration.write(xcdatamodeld: written)
    let model = try ManagedObjectModel.load(contentsOf: written).model
    let faults = Mutex<[TableImportFault]>([])
    let summary = try await TableSource([file], model: model).importStore(into: place.description) { fault in
      faults.withLock { $0.append(fault) }
    }
    #expect(summary.objects["Line"] == nil && summary.objects["Book"] == 3)
    #expect(faults.withLock { $0 }.contains { $0.kind == .value && $0.column == "pages" && $0.row == 2 })
    let container = try await place.open()
    let context = container.newContext()
    let books = try context.fetch(FetchRequest("Book"))
    #expect(try books.map { try $0.get("pageCount", as: Int.self) ?? 0 }.sorted() == [0, 100, 300])
    #expect(try books.allSatisfy { try $0.get("rating", as: Int.self) == 3 })
    try container.close()
  }

  @Test("refuses a model of other tables, and leaves nothing behind when it is cancelled")
  func refused() async throws {
    let place = try Place()
    let file = try place.database()
    var other = Entity("Other") { Attribute("name", .string) }
    other.userInfo["table"] = "others"
    let model = try ManagedObjectModel(ModelDeclaration(entities: [other]))
    #expect { try TableSource([file], model: model) } throws: {
      ($0 as? TableImportError)?.code == .wrongModel
    }
    let description = place.description
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await TableSource([file]).importStore(into: description)
    }
    await #expect { try await task.value } throws: { ($0 as? StoreError)?.code == .cancelled }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path) == ["made.sqlite"])
  }
}
