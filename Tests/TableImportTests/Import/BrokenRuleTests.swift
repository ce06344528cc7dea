import Foundation
import Strongroom
import Synchronization
import TableImport
import Testing

@Suite("Imported values that break rules of the model")
struct BrokenRuleTests {
  @Test("are reported one by one, and stay")
  func reported() async throws {
    let place = try Place()
    let csv = try place.write(
      "cafes.csv",
      "name,seats,code,opened,price\nHere,700,a1,2020-01-01,0.5\nThere,20,b22,1990-01-01,99\nX,,c3,,1\n")
    let model = try ManagedObjectModel {
      Entity("Cafe") {
        Attribute("name", .string, optional: false, minValue: 2, maxValue: 4)
        Attribute("seats", .integer16, optional: false, minValue: 1, maxValue: 500)
        Attribute("code", .string, regularExpression: "[a-z][0-9]")
        Attribute("opened", .date, minValue: .date(Date(timeIntervalSince1970: 946_684_800)))
        Attribute("price", .decimal, minValue: .decimal(1))
      }
    }
    let faults = Mutex<[TableImportFault]>([])
    let summary = try await TableSource([csv], model: model).importStore(into: place.description) { fault in
      faults.withLock { $0.append(fault) }
    }
    #expect(
      faults.withLock { $0 }.map(\.description).sorted() == [
        "cafes.code of row 2: a value that does not match the regular expression [a-z][0-9]; it stays",
        "cafes.name of row 2: a value that is longer than 4 characters; it stays",
        "cafes.name of row 3: a value that is shorter than 2 characters; it stays",
        "cafes.opened of row 2: a value that is less than the minimum 2000-01-01T00:00:00Z; it stays",
        "cafes.price of row 1: a value that is less than the minimum 1; it stays",
        "cafes.seats of row 1: a value that is greater than the maximum 500; it stays",
        "cafes.seats of row 3: a mandatory value that is null",
      ])
    #expect(summary.faults == [.brokenRule: 6, .missingValue: 1] && summary.objectCount == 3)
    let container = try await place.open()
    let context = container.newContext()
    let cafes = try context.fetch(FetchRequest("Cafe"))
    #expect(try cafes.map { try $0.get("seats", as: Int.self) ?? 0 }.sorted() == [0, 20, 700])
    #expect(try cafes.map { try $0.get("name", as: String.self) ?? "" }.sorted() == ["Here", "There", "X"])
    try container.close()
  }
}
