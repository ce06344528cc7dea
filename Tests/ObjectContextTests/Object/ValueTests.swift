import Foundation
import Strongroom
import Testing

/// What programs store beside the plain types, and the rules that values keep.
@Suite("Values and their rules")
struct ValueTests {
  private enum Genre: String, AttributeConvertible { case novel, verse }

  private struct Settings: CodableAttribute, Equatable {
    var theme: String
    var sizes: [Int]
    var margins: [String: Double]
    var isNew = true
  }

  private static func model() throws -> ManagedObjectModel {
    var label = Attribute("label", .transformable)
    label.valueTransformerName = "Reversed"
    var unknown = Attribute("unknown", .transformable)
    unknown.valueTransformerName = "Nobody's"
    return try ManagedObjectModel(
      ModelDeclaration(
        entities: [
          Entity("Page") {
            Attribute("title", .string, minValue: 2, maxValue: 5, regularExpression: "[a-z]+")
            Attribute("number", .integer64, minValue: 1, maxValue: 9)
            Attribute(
              "price", .decimal, minValue: .decimal(Decimal(string: "0.1")!),
              maxValue: .decimal(Decimal(string: "0.3")!))
            Attribute(
              "day", .date, minValue: .date(Date(timeIntervalSinceReferenceDate: 0)))
            Attribute("tags", .transformable)
            Attribute("settings", .transformable)
            Attribute("genre", .string)
            Attribute("count", .decimal)
            Attribute("place", .composite, composite: "Place")
            Attribute("size", .composite, composite: "Size")
            label
            unknown
            Relationship("notes", toMany: "Note", optional: false, minCount: 1, maxCount: 2)
          },
          Entity("Note") { Attribute("text", .string) },
        ],
        composites: [
          Composite(
            "Place",
            [
              Attribute("city", .string, optional: false, maxValue: 4),
              Attribute("spot", .composite, composite: "Spot"),
            ]),
          Composite("Size", [Attribute("width", .integer16, default: 7)]),
          Composite(
            "Spot",
            [
              Attribute("x", .double, minValue: -1),
              Attribute("y", .double),
            ]),
        ]))
  }

  @Test("every broken rule is reported with its property and bound")
  func rules() async throws {
    let shelf = try await Shelf(try Self.model(), inMemory: true)
    let context = shelf.container.newContext()
    let page = try context.insert("Page")
    try page.set("title", "A")
    try page.set("number", 10)
    try page.set("price", Decimal(string: "0.30000000000000000001")!)
    try page.set("day", Date(timeIntervalSinceReferenceDate: -0.001))
    try page.setValue(.string("Berlin"), forKey: "place.city")
    try page.setValue(.double(-2), forKey: "place.spot.x")
    let other = try context.insert("Page")
    try other.set("title", "abc def")
    try other.setValue(.double(2), forKey: "place.spot.y")
    for _ in 0..<3 { try other.add(try context.insert("Note"), to: "notes") }
    let error = #expect(throws: ContextError.self) { try context.save() }
    #expect(
      Set(
        error?.failures.filter { $0.objectID == page.objectID }.map { "\($0.property ?? "") \($0.rule)" }
          ?? [])
        == [
          "title is shorter than 2 characters", "number is greater than the maximum 9",
          "price is greater than the maximum 0.3",
          "day is less than the minimum 2001-01-01T00:00:00Z",
          "place.city is longer than 4 characters", "place.spot.x is less than the minimum -1",
          "notes has fewer than 1 objects",
        ])
    #expect(
      error?.failures.filter { $0.objectID == other.objectID }.map(\.rule)
        == [.longest(5), .required, .most(2)])
    #expect(error.map { "\($0)" }?.contains("Berlin") == false)
    try other.set("title", "ABC")
    let second = #expect(throws: ContextError.self) { try context.save() }
    #expect(second?.failures.contains { $0.rule == .pattern("[a-z]+") } == true)
  }

  @Test(
    "arrays, sets, dictionaries, structures and enumerations come back, and predicates look into them",
    arguments: [
      true, false,
    ])
  func codable(inMemory: Bool) async throws {
    let shelf = try await Shelf(try Self.model(), inMemory: inMemory)
    defer { withExtendedLifetime(shelf) {} }
    let context = shelf.container.newContext()
    let settings = Settings(theme: "dark", sizes: [9, 12], margins: ["top": 0.5])
    for index in 0..<4 {
      let page = try context.insert("Page")
      try page.add(try context.insert("Note"), to: "notes")
      try page.set("number", index + 1)
      if index == 0 { continue }
      try page.set("tags", index == 1 ? ["new", "ä"] : ["old"])
      try page.set(
        "settings", index == 1 ? settings : Settings(theme: "light", sizes: [], margins: [:], isNew: false))
      try page.set("genre", index == 1 ? Genre.verse : .novel)
      try page.set("count", UInt64.max - UInt64(index))
    }
    try context.save()
    let fresh = shelf.container.newContext()
    func numbers(_ format: String, _ arguments: [AttributeValue] = []) throws -> [Int64] {
      try fresh.fetch(
        FetchRequest(
          "Page", where: FetchPredicate(format: format, arguments: arguments),
          sortDescriptors: [FetchSortDescriptor("number")])
      ).compactMap { try $0.get("number") }
    }
    let page = try #require(
      try fresh.fetch(FetchRequest("Page", where: FetchPredicate(format: "number == 2"))).first)
    #expect(try page.get("tags", as: [String].self) == ["new", "ä"])
    #expect(try page.get("tags", as: Set<String>.self) == ["ä", "new"])
    #expect(try page.get("settings", as: Settings.self) == settings)
    #expect(try page.get("genre", as: Genre.self) == .verse)
    #expect(try page.get("count", as: UInt64.self) == UInt64.max - 1)
    #expect(throws: ContextError.self) { try page.get("count", as: Int64.self) }
    #expect(try numbers("tags CONTAINS 'new'") == [2])
    #expect(try numbers("'old' IN tags") == [3, 4])
    #expect(try numbers("NOT tags CONTAINS 'new'") == [1, 3, 4])
    #expect(try numbers("settings.theme == 'dark'") == [2])
    #expect(try numbers("settings.sizes.1 == 12") == [2])
    #expect(try numbers("settings.sizes CONTAINS 9") == [2])
    #expect(try numbers("settings.margins.top < 1") == [2])
    #expect(try numbers("settings.isNew == NO") == [3, 4])
    #expect(try numbers("settings.nothing == NULL") == [1, 2, 3, 4])
    #expect(try numbers("genre == 'verse'") == [2])
    #expect(try numbers("count == %@", [.decimal(Decimal(string: "18446744073709551614")!)]) == [2])
    #expect(try numbers("count >= %@", [.decimal(Decimal(string: "18446744073709551613")!)]) == [2, 3])
    var sums = FetchRequest("Page")
    sums.resultType = .dictionaries
    sums.propertiesToFetch = [
      ExpressionDescription("count", aggregate: .sum), ExpressionDescription("count", aggregate: .average),
    ]
    let exact = Decimal(string: "55340232221128654839")!
    #expect(
      try fresh.fetchDictionaries(sums) == [
        ["sum_count": .decimal(exact), "average_count": .decimal(exact / 3)]
      ])
    sums.predicate = try FetchPredicate(format: "number == 1")
    #expect(try fresh.fetchDictionaries(sums) == [["sum_count": .decimal(0), "average_count": .null]])
    let sorted = try fresh.fetch(
      FetchRequest("Page", sortDescriptors: [FetchSortDescriptor("count", ascending: false)]))
    #expect(try sorted.map { try $0.get("number", as: Int.self) } == [2, 3, 4, 1])
  }

  @Test("a composite is reached by key path, in objects, predicates and orders", arguments: [true, false])
  func composites(inMemory: Bool) async throws {
    let shelf = try await Shelf(try Self.model(), inMemory: inMemory)
    defer { withExtendedLifetime(shelf) {} }
    let context = shelf.container.newContext()
    for (index, city) in ["Rom", "Köln", nil].enumerated() {
      let page = try context.insert("Page")
      try page.add(try context.insert("Note"), to: "notes")
      try page.set("number", index + 1)
      #expect(try page.value(forKey: "size") == .composite(["width": 7]))
      guard let city else { continue }
      try page.set("place.city", city)
      try page.set("place.spot.y", Double(index) + 0.5)
      #expect(throws: ContextError.self) { try page.set("place.city", 3) }
      #expect(throws: ContextError.self) { try page.set("place.town", "x") }
      #expect(throws: ContextError.self) { try page.setValue(.composite(["town": "x"]), forKey: "place") }
    }
    try context.save()
    let fresh = shelf.container.newContext()
    func numbers(_ format: String) throws -> [Int64] {
      try fresh.fetch(
        FetchRequest(
          "Page", where: FetchPredicate(format: format), sortDescriptors: [FetchSortDescriptor("number")])
      )
      .compactMap { try $0.get("number") }
    }
    #expect(try numbers("place.city == 'Rom'") == [1])
    #expect(try numbers("place.city BEGINSWITH[cd] 'KOL'") == [2])
    #expect(try numbers("place.spot.y > 1") == [2])
    #expect(try numbers("place.city != 'Rom'") == [2, 3])
    #expect(throws: (any Error).self) { try numbers("place.town == 'Rom'") }
    let sorted = try fresh.fetch(
      FetchRequest("Page", sortDescriptors: [FetchSortDescriptor("place.spot.y", ascending: false)]))
    #expect(try sorted.map { try $0.get("number", as: Int.self) } == [2, 1, 3])
    #expect(try sorted[1].get("place.city", as: String.self) == "Rom")
    #expect(try sorted[1].get("size.width", as: Int.self) == 7)
    #expect(try sorted[1].get("place.spot.x", as: Double.self) == nil)
  }

  private struct Reversed: AttributeTransformer {
    func data(from value: [Character]) throws -> Data { Data(String(value.reversed()).utf8) }
    func value(from data: Data) throws -> [Character] { String(decoding: data, as: UTF8.self).reversed() }
  }

  @Test("a transformable attribute takes what its registered transformer takes, and nothing else")
  func transformers() async throws {
    Reversed().register(as: "Reversed")
    let shelf = try await Shelf(try Self.model(), inMemory: true)
    defer { withExtendedLifetime(shelf) {} }
    let context = shelf.container.newContext()
    let page = try context.insert("Page")
    try page.add(try context.insert("Note"), to: "notes")
    try page.setTransformed(Array("abc"), forKey: "label")
    #expect(try page.value(forKey: "label") == .data(Data("cba".utf8)))
    try page.setTransformed(["k": [1, 2]], forKey: "settings")
    try context.save()
    let again = try #require(try shelf.container.newContext().fetch(FetchRequest("Page")).first)
    #expect(try again.transformed("label") == Array("abc"))
    #expect(try again.transformed("settings") == ["k": [1, 2]])
    #expect(try again.transformed("tags", as: [String].self) == nil)
    #expect(throws: ContextError.self) { try again.transformed("label", as: String.self) }
    #expect(throws: ContextError.self) { try again.setTransformed("text", forKey: "label") }
    let unknown = #expect(throws: ContextError.self) { try again.setTransformed("text", forKey: "unknown") }
    #expect(unknown?.code == .noTransformer)
    #expect(throws: ContextError.self) { try again.setTransformed({ 1 }, forKey: "settings") }
    #expect(throws: DecodingError.self) { try again.transformed("settings", as: [Int].self) }
  }
}
