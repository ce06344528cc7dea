import Foundation
import Strongroom
import TableImport
import Testing

@Suite("Parts of tables that a model does not take")
struct UnusedPartsTests {
  private func notes(_ files: [URL], _ model: ManagedObjectModel? = nil) throws -> [String] {
    try TableSource(files, model: model).notes.filter { $0.hasSuffix("; it is left out") }
  }

  @Test("each column that no property takes is noted, and no column that names a row")
  func columns() throws {
    let place = try Place()
    let files = [
      try place.write("cafes.csv", "id,name,extra\n1,Here,x\n"),
      try place.write("guests.csv", "id,name,cafe_id,seats\n1,Ada,1,2\n"),
    ]
    #expect(try notes(files).isEmpty)
    var declaration = try TableSource(files).model.declaration
    for entity in declaration.entities.indices {
      declaration.entities[entity].attributes.removeAll { $0.name != "name" }
      declaration.entities[entity].uniquenessConstraints = []
    }
    let model = try ManagedObjectModel(declaration)
    let expected = ["extra", "id", "seats"].map {
      "\($0 == "extra" ? "cafes" : "guests").\($0) is of no property; it is left out"
    }
    #expect(try notes(files, model) == expected)
    // A model that says nothing of where it comes from is matched by names.
    let own = try ManagedObjectModel { Entity("Cafe") { Attribute("name", .string) } }
    #expect(
      try notes([files[0]], own) == ["id", "extra"].map { "cafes.\($0) is of no property; it is left out" })
  }

  @Test("an attribute of no column is noted with what it has")
  func attributes() throws {
    let place = try Place()
    let file = try place.write("cafes.csv", "id\n1\n")
    let model = try ManagedObjectModel {
      Entity("Cafe") {
        Attribute("id", .integer64)
        Attribute("seats", .integer64, default: 4)
        Attribute("street", .string)
        Attribute("name", .string, optional: false)
      }
    }
    #expect(
      try TableSource([file], model: model).notes == [
        "Cafe.seats is of no column; it has its default", "Cafe.street is of no column; it has no value",
        "Cafe.name is of no column; it has no value, which the model requires",
      ])
  }

  @Test("a file that no entity takes is refused, and a table of a database is noted")
  func tables() throws {
    let place = try Place()
    let files = [
      try place.write("cafes.csv", "id,name\n1,Here\n"), try place.write("emptyrows.csv", "a,b\n,\n"),
    ]
    let own = try ManagedObjectModel { Entity("Cafe") { Attribute("name", .string) } }
    #expect { try TableSource(files, model: own) } throws: {
      let error = $0 as? TableImportError
      return error?.code == .wrongModel && error?.message.contains("emptyrows") == true
    }
    let database = try place.database()
    #expect(try notes([database]).allSatisfy { !$0.contains(" is of no ") })
    var declaration = try TableSource([database]).model.declaration
    declaration.entities.removeAll { ["Line", "Order", "Point"].contains($0.name) }
    let found = try notes([database], ManagedObjectModel(declaration)).filter { $0.contains(" is of no ") }
    #expect(found == ["lines", "orders", "points"].map { "\($0) is of no entity; it is left out" })
  }
}
