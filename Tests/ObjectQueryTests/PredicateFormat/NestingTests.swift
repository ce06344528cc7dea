import ObjectModel
import ObjectQuery
import Testing

@Suite("Nested conditions")
struct NestingTests {
  private static let model: ManagedObjectModel? = try? ManagedObjectModel {
    Entity("Row") { Attribute("n", .integer64) }
  }

  /// Swift frees a nested value by as many calls as it is deep, which would fill the stack; so it
  /// is kept.
  private static let deepest = (0..<200_000).reduce(FetchPredicate.compare("n", .equal, .integer(1))) {
    inner, _ in .not(inner)
  }

  @Test("deeper than any stack are refused before they are parsed")
  func deepest() throws {
    let entity = try #require(Self.model?.entity(named: "Row"))
    #expect { try ResolvedPredicate(Self.deepest, for: entity) } throws: {
      "\(($0 as? QueryError)?.code.description ?? "")" == "tooComplex"
    }
  }

  @Test("at the limit of the format text are answered")
  func limit() throws {
    let entity = try #require(Self.model?.entity(named: "Row"))
    func nested(_ depth: Int) -> FetchPredicate {
      (0..<depth).reduce(.constant(true)) { inner, _ in .and([inner]) }
    }
    _ = try ResolvedPredicate(nested(97), for: entity)
    #expect(throws: QueryError.self) { try ResolvedPredicate(nested(98), for: entity) }
    let text = String(repeating: "(", count: 40) + "n == 1" + String(repeating: ")", count: 40)
    _ = try ResolvedPredicate(FetchPredicate(format: text), for: entity)
  }
}
