import Foundation
import MigrationPlace
import Strongroom
import Testing

/// Swift takes a composed and a decomposed letter for equal, SQLite's names do not.
@Suite("A name that is spelled in another normal form")
struct SpellingTests {
  private static let composed = "\u{E9}"
  private static let decomposed = "e\u{301}"

  private enum Part: String, CaseIterable {
    case attribute, toOne, ordered, entity
  }

  private static func model(_ part: Part, _ letter: String, isGrown: Bool) throws -> ManagedObjectModel {
    func name(_ own: Part) -> String { own == part ? own.rawValue + letter : own.rawValue }
    return try ManagedObjectModel {
      Entity(name(.entity)) {
        Attribute(name(.attribute), .string, indexed: true)
        Relationship(name(.toOne), to: "Other", inverse: "back")
        Relationship(name(.ordered), toMany: "Other", inverse: "others", ordered: true)
        if isGrown { Attribute("added", .integer64, default: .integer(1)) }
      }
      Entity("Other") {
        Attribute("number", .integer64)
        Relationship("back", toMany: name(.entity), inverse: name(.toOne))
        Relationship("others", toMany: name(.entity), inverse: name(.ordered))
      }
    }
  }

  @Test(
    "keeps every value and link, there and back",
    arguments: Part.allCases.map(\.rawValue), MigrationPlace.Kind.all)
  func spelled(name: String, kind: MigrationPlace.Kind) async throws {
    let part = try #require(Part(rawValue: name))
    for isGrown in [false, true] { try await check(part, isGrown, kind) }
  }

  private func check(_ part: Part, _ isGrown: Bool, _ kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    func names(_ letter: String) -> (entity: String, attribute: String, toOne: String, ordered: String) {
      func name(_ own: Part) -> String { own == part ? own.rawValue + letter : own.rawValue }
      return (name(.entity), name(.attribute), name(.toOne), name(.ordered))
    }
    try await place.with(Self.model(part, Self.composed, isGrown: false)) { context in
      let own = names(Self.composed)
      let object = try context.insert(own.entity)
      try object.set(own.attribute, "value")
      let others = try (0..<3).map { number in
        let other = try context.insert("Other")
        try other.set("number", 3 - number)
        return other
      }
      try object.setObject(others[1], forKey: own.toOne)
      try object.setObjects(others, forKey: own.ordered)
      try context.save()
    }
    for letter in [Self.decomposed, Self.composed, Self.decomposed] {
      try await place.with(Self.model(part, letter, isGrown: isGrown)) {
        $0.allowsLossyMigration = true
      } _: {
        context in
        let own = names(letter)
        let object = try #require(try context.fetch(FetchRequest(own.entity)).first)
        #expect(try object.get(own.attribute, as: String.self) == "value")
        #expect(try object.object(own.toOne)?.get("number", as: Int.self) == 2)
        #expect(try object.objects(own.ordered).map { try $0.get("number", as: Int.self) } == [3, 2, 1])
        let found = FetchRequest(own.entity, where: .compare(own.attribute, .equal, .string("value")))
        #expect(try context.count(for: found) == 1)
      }
      #expect(try await place.problems().isEmpty)
    }
  }
}
