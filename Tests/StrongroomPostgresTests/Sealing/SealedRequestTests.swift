import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("Requests that sealed attributes are not for", .enabled(if: PostgresServer.programs != nil))
struct SealedRequestTests {
  @Test("conditions, orders, groups and columns that the server cannot answer are refused by name")
  func refused() async throws {
    let people = try SealedPeople()
    let store = try await people.store()
    let context = try people.context(store)
    try context.insert("Person").set("iban", "DE")
    try context.save()
    func check(_ name: String, _ request: FetchRequest) async {
      let refusal = await SealedPeople.refusal {
        if request.resultType == .dictionaries {
          _ = try people.context(store).fetchDictionaries(request)
        } else {
          _ = try people.context(store).fetch(request)
        }
      }
      #expect(refusal.code == "unsupportedRequest", "\(name): \(refusal)")
      #expect(refusal.message.hasPrefix("\(name) is sealed"), "\(refusal)")
    }
    let conditions = [
      ("Person.iban", "iban > 'A'"), ("Person.iban", "iban BEGINSWITH 'D'"),
      ("Person.iban", "iban ==[c] 'de'"),
      ("Person.iban", "iban CONTAINS 'E'"), ("Person.iban", "iban LIKE 'D*'"),
      ("Person.iban", "iban == name"),
      ("Person.iban", "iban MATCHES 'D.'"), ("Person.iban", "iban BETWEEN {'A', 'Z'}"),
      ("Person.iban", "uppercase(iban) == 'DE'"), ("Person.note", "note == 'x'"),
      ("Person.note", "note != 'x'"),
      ("Person.note", "note IN {'x'}"), ("Person.note", "note IN {nil, 'x'}"), ("Person.pin", "pin + 1 == 2"),
      ("Person.born", "born < now()"), ("Account.number", "ANY accounts.number > 'x'"),
      ("Account.balance", "accounts.@sum.balance > 3"), ("Account.balance", "accounts.@max.balance == 3"),
      ("Account.balance", "SUBQUERY(accounts, $a, $a.balance == 3).@count > 0"),
      ("Account.number", "SUBQUERY(accounts, $a, $a.number > 'x').@count > 0"),
      ("Person.iban", "name == 'a' OR NOT (iban > 'b')"),
      ("Person.note", "SUBQUERY(accounts, $a, $a.owner.note == 'x').@count > 0"),
    ]
    for (name, format) in conditions {
      await check(name, FetchRequest("Person", where: try FetchPredicate(format: format)))
    }
    await check("Person.iban", FetchRequest("Person", sortDescriptors: [.init("name"), .init("iban")]))
    await check("Person.note", FetchRequest("Account", sortDescriptors: [.init("owner.note")]))
    var columns = FetchRequest("Person")
    columns.resultType = .dictionaries
    var grouped = columns
    grouped.propertiesToFetch = [ExpressionDescription("name", aggregate: .count)]
    grouped.propertiesToGroupBy = ["iban"]
    await check("Person.iban", grouped)
    for aggregate in FetchAggregate.allCases {
      columns.propertiesToFetch = [ExpressionDescription("pin", aggregate: aggregate)]
      await check("Person.pin", columns)
    }
    columns.propertiesToFetch = [ExpressionDescription("upper", .function(.uppercase, [.path("note")]))]
    await check("Person.note", columns)
    columns.propertiesToFetch = [ExpressionDescription("iban")]
    columns.returnsDistinctResults = true
    await check("Person.iban", columns)
    columns.propertiesToFetch = nil
    await check("Person.iban", columns)
    for request in [
      FetchRequest("Person", where: .compare("note", .equal, "x")),
      FetchRequest("Person", where: .compare("iban", .less, "x")),
    ] {
      #expect(throws: StoreError.self) { try context.count(for: request) }
      #expect(throws: StoreError.self) { try store.fetchObjectIDs(request) }
      #expect(throws: StoreError.self) { try store.update(BatchUpdate(request, set: ["name": "x"])) }
      #expect(throws: StoreError.self) { try store.delete(matching: request) }
    }
    #expect(try context.count(for: FetchRequest("Person")) == 1)
  }
}
