import Foundation
import Strongroom
import TableImport
import Testing

@Suite("CSV in the forms that programs write")
struct CSVTests {
  @Test(
    "is read the same whatever its line ends, quotes and separators are",
    arguments: [
      "a,b\n1,x\n2,y\n", "a,b\r\n1,x\r\n2,y", "a,b\r1,x\r2,y\r", "a;b\n1;x\n2;y\n", "a\tb\n1\tx\n2\ty\n",
      "\"a\",\"b\"\n\"1\",\"x\"\n\"2\",\"y\"\n", "\u{FEFF}\"a\",b\n\n1,x\n\n2,\"y\"",
    ])
  func forms(text: String) async throws {
    let place = try Place()
    let source = try TableSource([place.write("forms.csv", text)])
    let attributes = try #require(source.model.entities.first).attributes
    #expect(attributes.map(\.name) == ["a", "b"] && attributes.map(\.type) == [.integer64, .string])
    let summary = try await source.importStore(into: place.description)
    #expect(summary.objectCount == 2 && summary.faultCount == 0)
    let container = try await place.open()
    let context = container.newContext()
    let rows = try context.fetch(FetchRequest("Form")).sorted {
      $0.objectID.reference < $1.objectID.reference
    }
    #expect(try rows.map { try $0.get("a", as: Int.self) } == [1, 2])
    #expect(try rows.map { try $0.get("b", as: String.self) } == ["x", "y"])
    try container.close()
  }
}
