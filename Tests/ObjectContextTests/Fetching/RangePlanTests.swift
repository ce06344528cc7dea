import Foundation
import Strongroom
import Testing

@Suite("Ranges of an indexed attribute")
struct RangePlanTests {
  private static func model(indexed: Bool) throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Reading") {
        Attribute("number", .integer64)
        if indexed { FetchIndex("byNumber", on: "number") }
      }
      Entity("Correction", parent: "Reading") { Attribute("reason", .string) }
    }
  }

  /// Readings whose numbers are in another order than their insertion, some null and some equal.
  private func shelf(indexed: Bool, inMemory: Bool = false) async throws -> Shelf {
    let shelf = try await Shelf(try Self.model(indexed: indexed), inMemory: inMemory)
    let context = shelf.container.newContext()
    for step in 0..<500 {
      let reading = try context.insert(step % 7 == 3 ? "Correction" : "Reading")
      if step % 11 != 5 { try reading.set("number", step * 389 % 450) }
    }
    try context.save()
    return shelf
  }

  private static let formats = [
    "number > 300", "number >= 20 AND number < 60", "number BETWEEN {100, 140}", "number < 0",
    "number > 440 OR number < 4", "number IN {3, 440, 17}", "NOT number > 200",
  ]

  @Test("look the range up, in the order of insertion", arguments: formats)
  func order(format: String) async throws {
    let request = FetchRequest("Reading", where: try FetchPredicate(format: format))
    let indexed = try await shelf(indexed: true)
    let context = indexed.container.newContext()
    let found = try context.fetch(request).map(\.objectID.reference)
    #expect(found == found.sorted())
    #expect(try context.fetchObjectIDs(request).map(\.reference) == found)
    for other in [try await shelf(indexed: false), try await shelf(indexed: false, inMemory: true)] {
      #expect(try other.container.newContext().fetch(request).map(\.objectID.reference) == found)
    }
    var page = request
    page.fetchLimit = 10
    page.fetchOffset = 5
    #expect(try context.fetch(page).map(\.objectID.reference) == Array(found.dropFirst(5).prefix(10)))
    if !format.contains("NOT") {
      #expect(try context.queryPlan(for: request).steps.contains(where: \.usesIndex))
    }
  }

  @Test("are looked up by a typed subentity and in one statement")
  func subentity() async throws {
    let shelf = try await shelf(indexed: true)
    let context = shelf.container.newContext()
    let request = FetchRequest("Correction", where: try FetchPredicate(format: "number > 400"))
    let before = try shelf.statements
    let found = try context.fetch(request)
    #expect(try shelf.statements - before == 1)
    #expect(!found.isEmpty && found.map(\.objectID.reference) == found.map(\.objectID.reference).sorted())
    #expect(try found.allSatisfy { try $0.get("number", as: Int.self).map { $0 > 400 } == true })
  }
}
