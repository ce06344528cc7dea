import Foundation
import Strongroom
import Synchronization
import TableImport
import Testing

@Suite("CSV and JSON lines made into an encrypted store")
struct TextImportTests {
  @Test("CSV has the types of all its values, and empty ones are null")
  func csv() async throws {
    let place = try Place()
    let text =
      "\u{FEFF}id,name,zip,price,open,since,key,big\r\n"
      + "1,\"Smith, \"\"Joe\"\"\",01234,1.5,true,2024-02-29,\(UUID()),12345678901234567890.5\r\n"
      + "2,\"two\nlines\",99999,2,no,2024-03-01T12:30:00.5+02:00,\(UUID()),1\r\n\r\n3,,,,,,,\r\n"
    let source = try TableSource([place.write("people.csv", text)])
    let person = try #require(source.model.entities.first)
    #expect(person.name == "People")
    let types = Dictionary(uniqueKeysWithValues: person.attributes.map { ($0.name, $0.type) })
    #expect(
      types == [
        "id": .integer64, "name": .string, "zip": .string, "price": .double, "open": .boolean, "since": .date,
        "key": .uuid, "big": .decimal,
      ])
    #expect(person.declaration.uniquenessConstraints == [UniquenessConstraint("id")])
    let summary = try await source.importStore(into: place.description)
    #expect(summary.objectCount == 3 && summary.faultCount == 0)
    let container = try await place.open()
    let context = container.newContext()
    let people = try context.fetch(FetchRequest("People")).sorted {
      $0.objectID.reference < $1.objectID.reference
    }
    #expect(try people[0].get("name", as: String.self) == "Smith, \"Joe\"")
    #expect(try people[1].get("name", as: String.self) == "two\nlines")
    let moment = Date(timeIntervalSince1970: 1_709_289_000.5)
    #expect(try people[1].value(forKey: "since") == .date(moment))
    #expect(
      try people[0].value(forKey: "big") == .decimal(Decimal(string: "12345678901234567890.5") ?? 0))
    #expect(try people[2].value(forKey: "name") == .null)
    try container.close()
  }

  @Test("a text that only begins as a number is no decimal")
  func decimals() async throws {
    let place = try Place()
    let file = try place.write("prices.csv", "id,price\n1,12345678901234567890.5\n")
    let model = try TableSource([file]).model
    #expect(model.entities.first?.attribute(named: "price")?.type == .decimal)
    _ = try place.write("prices.csv", "id,price\n1,0x10\n2,12.5 EUR\n3,12.5\n")
    let summary = try await TableSource([file], model: model).importStore(into: place.description)
    #expect(summary.faultCount == 2)
    let container = try await place.open()
    let prices = try container.newContext().fetch(
      FetchRequest(try #require(model.entities.first).name, sortDescriptors: [FetchSortDescriptor("id")]))
    #expect(
      try prices.map { try $0.value(forKey: "price") } == [
        .null, .null, .decimal(Decimal(string: "12.5") ?? 0),
      ])
    try container.close()
  }

  @Test("lines that are no rows and texts that are no UTF-8 are reported, and the rest comes in")
  func faults() async throws {
    let place = try Place()
    var csv = Data("a;b;a\n1;2\n1;2;3;4\n".utf8)
    csv.append(contentsOf: [0x78, 0xFF, 0x3B, 0x0A])
    let json = """
      {"id": 1, "ok": true, "n": 9007199254740993, "tags": ["x"], "at": {"y": 1}}
      {"id": 2, "ok": false, "n": 1.5, "extra": "e"}
      [1]
      {"id": 3,

      """
    let files = [try place.write("c.csv", csv), try place.write("j.jsonl", json)]
    let faults = Mutex<[TableImportFault]>([])
    let source = try TableSource(files)
    let summary = try await source.importStore(into: place.description) { fault in
      faults.withLock { $0.append(fault) }
    }
    #expect(source.model.entity(named: "C")?.attributes.map(\.name) == ["a", "b", "a2"])
    let types = source.model.entity(named: "J")?.attributes.map(\.type)
    #expect(types == [.transformable, .integer64, .double, .boolean, .transformable, .string])
    #expect(summary.objects == ["C": 3, "J": 2])
    let lines = faults.withLock { $0 }.filter { $0.kind == .line }.map { "\($0.table) \($0.row ?? 0)" }
    #expect(lines == ["c 2", "c 3", "c 4", "j 3", "j 4"])
    let values = faults.withLock { $0 }.filter { $0.kind == .value }.map(\.description)
    #expect(values.count == 2 && values.contains { $0.contains("not UTF-8") })
    let container = try await place.open()
    let context = container.newContext()
    let first = try #require(
      try context.fetch(FetchRequest("J")).first { $0.objectID.reference == 1 })
    #expect(try first.get("tags", as: [String].self) == ["x"])
    #expect(try first.get("at", as: [String: Int].self) == ["y": 1])
    #expect(try first.get("ok", as: Bool.self) == true)
    try container.close()
  }

  @Test("columns that name rows of another file are relationships where every value is there")
  func relationships() async throws {
    let place = try Place()
    let files = [
      try place.write("authors.csv", "id,name\n1,Anna\n2,Ben\n"),
      try place.write("books.csv", "id,title,author_id,shop_id\n1,One,2,7\n2,Two,,7\n3,Three,2,1\n"),
      try place.write("shops.csv", "id,name\n1,Here\n"),
      try place.write("authors_shops.csv", "author_id,shop_id\n1,1\n2,1\n"),
    ]
    let source = try TableSource(files)
    let book = try #require(source.model.entity(named: "Book"))
    #expect(book.relationships.map(\.name) == ["author"])
    #expect(book.attributes.map(\.name) == ["id", "title", "shopId"])
    #expect(source.notes.contains { $0.contains("books.shop_id") })
    let author = try #require(source.model.entity(named: "Author"))
    #expect(author.relationships.map(\.name).sorted() == ["books", "shops"])
    // The same from the model as it is written and read again.
    let model = try ManagedObjectModel(jsonData: source.model.jsonData())
    let summary = try await TableSource(files, model: model).importStore(into: place.description)
    #expect(summary.objectCount == 6 && summary.linkCount == 4 && summary.faultCount == 0)
    let container = try await place.open()
    let context = container.newContext()
    let authors = try context.fetch(FetchRequest("Author"))
    let ben = try #require(authors.first { $0.objectID.reference == 2 })
    #expect(try ben.objects("books").map(\.objectID.reference).sorted() == [1, 3])
    #expect(try ben.objects("shops").count == 1)
    try container.close()
  }

  @Test("a number of JSON lines and its text in CSV name the same row", arguments: [false, true])
  func mixed(isKeyJSON: Bool) async throws {
    let place = try Place()
    func file(_ name: String, _ isJSON: Bool, _ keys: [String], _ rows: [[String?]]) throws -> URL {
      let lines =
        isJSON
        ? rows.map { row in
          "{" + zip(keys, row).map { "\"\($0)\":\($1 ?? "null")" }.joined(separator: ",") + "}"
        } : [keys.joined(separator: ",")] + rows.map { $0.map { $0 ?? "" }.joined(separator: ",") }
      return try place.write(
        name + (isJSON ? ".jsonl" : ".csv"), lines.map { $0 + "\n" }.joined())
    }
    let big = "9007199254740993"
    let files = [
      try file("paintings", isKeyJSON, ["id", "year"], [["1", "1900"], [big, "1910"], ["-3", nil]]),
      try file(
        "visits", !isKeyJSON, ["painting_id", "n"],
        [[big, "1"], ["1", "2"], [nil, "3"], ["-3", "4"], ["1", "5"]]),
      try file("rooms", !isKeyJSON, ["id"], [["1"], ["2"]]),
      try file("rooms_paintings", !isKeyJSON, ["room_id", "painting_id"], [["2", "1"], ["2", "-3"]]),
      // Not the text of a number, or of another one.
      try file("sales", !isKeyJSON, ["painting_id"], [isKeyJSON ? ["01"] : ["1.5"], ["1"]]),
    ]
    let source = try TableSource(files)
    #expect(source.model.entity(named: "Visit")?.relationships.map(\.name) == ["painting"])
    #expect(source.notes.filter { $0.contains("no keys of") }.count == 1, "\(source.notes)")
    #expect(source.model.entity(named: "Sale")?.relationships.isEmpty == true)
    let summary = try await source.importStore(into: place.description)
    #expect(summary.faultCount == 0 && summary.linkCount == 6)
    let container = try await place.open()
    let context = container.newContext()
    let visits = try context.fetch(FetchRequest("Visit")).sorted {
      $0.objectID.reference < $1.objectID.reference
    }
    #expect(try visits.map { try $0.object("painting")?.objectID.reference } == [2, 1, nil, 3, 1])
    let rooms = try context.fetch(FetchRequest("Room"))
    #expect(try rooms.map { try $0.objects("paintings").count }.sorted() == [0, 2])
    try container.close()
  }
}
