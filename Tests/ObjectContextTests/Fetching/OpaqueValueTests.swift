import Foundation
import Strongroom
import Testing

/// Conditions on what a program's own transformer makes: the bytes are equal or not, and say
/// nothing else.
@Suite("Opaque values in conditions")
struct OpaqueValueTests {
  private static func model() throws -> ManagedObjectModel {
    var seal = Attribute("seal", .transformable)
    seal.valueTransformerName = "Sealing"
    var archive = Attribute("archive", .transformable)
    archive.valueTransformerName = "NSSecureUnarchiveFromData"
    return try ManagedObjectModel {
      Entity("Letter") {
        Attribute("title", .string)
        Attribute("tags", .transformable)
        seal
        archive
        Relationship("answers", toMany: "Letter", inverse: "question")
        Relationship("question", to: "Letter", inverse: "answers")
      }
    }
  }

  private func filled(inMemory: Bool) async throws -> (Shelf, ManagedObjectContext) {
    let shelf = try await Shelf(try Self.model(), inMemory: inMemory)
    let context = shelf.container.newContext()
    for (title, seal) in [("a", Data(#"["x","y"]"#.utf8)), ("b", Data([1, 2])), ("c", nil)] {
      let letter = try context.insert("Letter")
      try letter.set("title", title)
      try letter.set("seal", seal)
      try letter.set("tags", ["x", "y"])
      try letter.set("archive", ["x"])
    }
    try context.save()
    return (shelf, context)
  }

  @Test("what looks into them is refused, also where unsaved objects are asked", arguments: [true, false])
  func refused(inMemory: Bool) async throws {
    let (shelf, context) = try await filled(inMemory: inMemory)
    for isPending in [false, true] {
      if isPending { try context.insert("Letter").set("seal", Data([9])) }
      for format in [
        "seal CONTAINS 'x'", "'x' IN seal", "seal.0 == 'x'", "seal.name != nil", "seal.@count == 2",
        "seal == 'x'", "seal != 3", "seal < title", "seal BEGINSWITH 'x'", "seal MATCHES '.*'", "seal > 1",
        "length(seal) == 2", "ANY answers.seal == 'x'", "question.seal.0 == 'x'", "seal IN {'x', 'y'}",
        "seal BETWEEN {1, 2}", "SUBQUERY(answers, $a, $a.seal CONTAINS 'x').@count > 0", "title == seal",
        "TERNARY(title == 'a', seal, nil) == 'x'", "seal == tags", "seal SEARCH 'x'",
        "max(answers.seal) == 1",
      ] {
        let request = FetchRequest("Letter", where: try FetchPredicate(format: format))
        let error = #expect(throws: QueryError.self, "\(format)") { try context.fetch(request) }
        #expect(error?.code == .unsupported, "\(format)")
        #expect(throws: QueryError.self, "\(format)") { try context.count(for: request) }
      }
      let sorted = FetchRequest("Letter", sortDescriptors: [FetchSortDescriptor("seal")])
      #expect(throws: QueryError.self) { try context.fetch(sorted) }
      var grouped = FetchRequest("Letter")
      grouped.propertiesToFetch = [ExpressionDescription("seal", aggregate: .max)]
      #expect(throws: QueryError.self) { try context.fetchDictionaries(grouped) }
    }
    withExtendedLifetime(shelf) {}
  }

  @Test("whether they are equal, or missing, can be asked", arguments: [true, false])
  func equal(inMemory: Bool) async throws {
    let (shelf, context) = try await filled(inMemory: inMemory)
    func titles(_ predicate: FetchPredicate) throws -> String {
      let request = FetchRequest("Letter", where: predicate, sortDescriptors: [FetchSortDescriptor("title")])
      return try context.fetch(request).compactMap { try $0.get("title", as: String.self) }.joined()
    }
    let bytes = Data([1, 2])
    #expect(try titles(FetchPredicate(format: "seal == %@", bytes)) == "b")
    #expect(try titles(FetchPredicate(format: "%@ != seal", bytes)) == "ac")
    #expect(try titles(FetchPredicate(format: "seal IN %@", [bytes, Data()])) == "b")
    #expect(try titles(FetchPredicate(format: "seal == nil")) == "c")
    #expect(try titles(FetchPredicate(format: "seal != NULL AND tags CONTAINS 'x'")) == "ab")
    #expect(try titles(FetchPredicate(format: "archive CONTAINS 'x'")) == "abc")
    #expect(
      try titles(FetchPredicate(format: "seal == seal AND SUBQUERY(answers, $a, $a.seal == nil).@count == 0"))
        == "abc")
    withExtendedLifetime(shelf) {}
  }
}
