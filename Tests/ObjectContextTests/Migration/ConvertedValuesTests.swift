import Foundation
import MigrationPlace
import StoreContract
import Strongroom
import Testing

@Suite("Values that a program converts when its model changes")
struct ConvertedValuesTests {
  private static func model(_ pages: Attribute, adding: String? = nil) throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Text") {
        Attribute("title", .string)
        pages
        if let adding { Attribute(adding, .string) }
        Relationship("next", to: "Text", inverse: "former")
        Relationship("former", to: "Text", inverse: "next")
      }
      Entity("Book", parent: "Text") { Attribute("code", .string) }
    }
  }

  /// Counts the pages that a text says.
  private static func conversions(_ seen: @escaping @Sendable () -> Void = {}) -> ValueConversions {
    ValueConversions { old, new in
      guard old.name == "pages", old.type == .string, new.type == .integer64 else { return nil }
      return { value in
        seen()
        guard case .string(let text) = value else { return .integer(-1) }
        guard let number = Int64(text) else { throw ValueConversionError("a text is no number") }
        return .integer(number)
      }
    }
  }

  private func fill(_ place: MigrationPlace, _ model: ManagedObjectModel, _ texts: [String?]) async throws {
    try await place.with(model) { context in
      var last: ManagedObject?
      for (number, text) in texts.enumerated() {
        let new = try context.insert(number % 2 == 0 ? "Text" : "Book")
        try new.set("title", String(format: "%05d", number))
        if let text { try new.set("pages", text) }
        try new.setObject(last, forKey: "former")
        last = new
      }
      try context.save()
    }
  }

  @Test(
    "each is converted once, in subentities too, and the rest comes along", arguments: MigrationPlace.Kind.all
  )
  func all(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    let texts: [String?] = (0..<2300).map { $0 % 7 == 0 ? nil : "\($0)" }
    try await fill(place, try Self.model(Attribute("pages", .string)), texts)
    let new = try Self.model(Attribute("pages", .integer64), adding: "remark")
    let refused = try await place.refusal(new)
    #expect(refused?.migrationForecast?.issues.map(\.kind) == [.incompatibleType])
    try await place.with(new, { $0.valueConversions = Self.conversions() }) { context in
      let all = try context.fetch(FetchRequest("Text", sortDescriptors: [FetchSortDescriptor("title")]))
      #expect(try all.map { try $0.get("pages", as: Int.self) } == texts.map { $0.flatMap { Int($0) } ?? -1 })
      #expect(try all[100].object("former")?.objectID == all[99].objectID)
      #expect(try all[100].object("next")?.objectID == all[101].objectID)
    }
    #expect(try await place.problems() == [] && !place.hasCopy())
  }

  @Test(
    "what cannot be converted is in the way, with its reason and objects", arguments: MigrationPlace.Kind.all)
  func obstacle(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await fill(place, try Self.model(Attribute("pages", .string)), ["1", "two", nil, "four"])
    let before = try place.bytes()
    let new = try Self.model(Attribute("pages", .integer64))
    let container = place.container(new) { $0.valueConversions = Self.conversions() }
    let forecast = try await container.migrationForecasts()[0]
    let refused = try await place.refusal(new) { $0.valueConversions = Self.conversions() }
    #expect(try place.bytes() == before)
    for issues in [forecast.issues, refused?.migrationForecast?.issues ?? []] {
      #expect(issues.count == 1 && issues.first?.message.contains("a text is no number") == true, "\(issues)")
      #expect(issues.first?.objectURIs.count == 2)
    }
    #expect(forecast.entity(named: "Text")?.properties.first { $0.name == "pages" }?.change == .converted)
  }
}
