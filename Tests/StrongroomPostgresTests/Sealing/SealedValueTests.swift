import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("Sealed attributes on a server", .enabled(if: PostgresServer.programs != nil))
struct SealedValueTests {
  private static func person(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
    let person = try context.insert("Person")
    for (key, value) in SealedPeople.values { try person.setValue(value, forKey: key) }
    try person.set("name", name)
    try person.set("iban", "iban of \(name)")
    return person
  }

  @Test("values of every type come back, null is null, and the columns have none of them")
  func types() async throws {
    let people = try SealedPeople()
    let store = try await people.store()
    let context = try people.context(store)
    let ada = try context.insert("Employee")
    for (key, value) in SealedPeople.values { try ada.setValue(value, forKey: key) }
    try ada.set("badge", "")
    try ada.set("grade", Int16(-3))
    _ = try context.insert("Person")
    try context.save()
    let other = try people.context(try await people.store())
    let found = try other.fetch(FetchRequest("Person", sortDescriptors: [.init("name", ascending: false)]))
    for (key, value) in SealedPeople.values { #expect(try found[0].value(forKey: key) == value, "\(key)") }
    #expect(try found[0].value(forKey: "badge") == "" && found[0].value(forKey: "grade") == -3)
    for key in SealedPeople.values.keys { #expect(try found[1].value(forKey: key).isNull, "\(key)") }
    let columns = try PostgresServer.shared().execute(
      "SELECT DISTINCT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid ="
        + " '\"\(people.schema)\".\"Person\"'::regclass AND attname IN ('iban', 'pin', 'isRich', 'born')")
    #expect(columns == "bytea\n")
    let nulls = try PostgresServer.shared().execute(
      "SELECT count(iban), count(photo), count(*) FROM \"\(people.schema)\".\"Person\"")
    #expect(nulls == "1|1|2\n")
    // Equal values are sealed to different bytes.
    let different = try PostgresServer.shared().execute(
      "SELECT count(DISTINCT x) FROM (SELECT \"isRich\" FROM \"\(people.schema)\".\"Person\""
        + " UNION ALL SELECT grade FROM \"\(people.schema)\".\"Person\") AS t (x)")
    #expect(different == "2\n")
  }

  @Test("a changed value, dictionaries, rows, a query generation and batches have values that are not sealed")
  func paths() async throws {
    let people = try SealedPeople()
    let store = try await people.store()
    let context = try people.context(store)
    let ada = try Self.person("Ada", context)
    try context.save()
    let generation = try people.context(store)
    try generation.setQueryGenerationFrom(.current)
    #expect(try generation.count(for: FetchRequest("Person")) == 1)
    try ada.set("iban", "new")
    try ada.set("note", String?.none)
    try context.save()
    let old = try generation.fetch(FetchRequest("Person"))[0]
    #expect(try old.get("iban") == "iban of Ada" && old.get("note") == "likes\u{0}bees 🐝")
    var columns = FetchRequest("Person")
    columns.propertiesToFetch = [ExpressionDescription("iban"), ExpressionDescription("pin")]
    #expect(try context.fetchDictionaries(columns) == [["iban": "new", "pin": 4711]])
    var rows: [String] = []
    try context.enumerateRows(columns) { row in
      rows.append(row.string(0))
      return true
    }
    #expect(rows == ["new"])
    let entity = try #require(people.model.entity(named: "Account"))
    var number = 0
    let result = try store.insert(into: entity) { row in
      number += 1
      try row.set("number", .string("account \(number)"))
      try row.set("balance", .integer(Int64(number)))
      return number <= 5000
    }
    #expect(result.count == 5000)
    let one = FetchRequest("Account", where: .compare("number", .equal, "account 4999"))
    #expect(try context.fetch(one).map { try $0.get("balance", as: Int64.self) } == [4999])
    #expect(try store.update(BatchUpdate(one, set: ["number": "other", "balance": 7])).count == 1)
    let changed = FetchRequest("Account", where: .compare("number", .equal, "other"))
    #expect(try people.context(store).fetch(changed).map { try $0.get("balance", as: Int64.self) } == [7])
    #expect(try store.delete(matching: changed).count == 1 && context.count(for: changed) == 0)
    #expect(try context.count(for: FetchRequest("Account")) == 4999)
  }

  @Test("equal values are found by the server, with its index, also over relationships")
  func equality() async throws {
    let people = try SealedPeople()
    let store = try await people.store()
    let context = try people.context(store)
    for name in ["Ada", "Bob", "Eve"] {
      let person = try Self.person(name, context)
      if name == "Eve" { try person.set("rate", Decimal?.none) }
      for place in 0..<2 {
        let account = try context.insert("Account")
        try account.set("number", "\(name) \(place)")
        try account.setObject(person, forKey: "owner")
      }
    }
    try context.save()
    let born = Date(timeIntervalSinceReferenceDate: -2_000_000_000.25)
    let cases: [(FetchPredicate, [String])] = [
      (try .init(format: "iban == %@", "iban of Bob"), ["Bob"]),
      (try .init(format: "iban != %@", "iban of Bob"), ["Ada", "Eve"]),
      (try .init(format: "%@ == iban", "iban of Bob"), ["Bob"]),
      (try .init(format: "NOT iban == %@", "iban of Bob"), ["Ada", "Eve"]),
      (try .init(format: "iban IN {'iban of Ada', 'iban of Eve', 'none'}"), ["Ada", "Eve"]),
      (try .init(format: "rate == nil"), ["Eve"]), (try .init(format: "rate != nil"), ["Ada", "Bob"]),
      (try .init(format: "rate == 0.3"), ["Ada", "Bob"]),
      (try .init(format: "pin == 4711 AND size == 1.75"), ["Ada", "Bob", "Eve"]),
      (try .init(format: "pin == 4711.0"), ["Ada", "Bob", "Eve"]), (try .init(format: "pin == 1"), []),
      (try .init(format: "note == nil"), []), (try .init(format: "note != nil AND name == 'Ada'"), ["Ada"]),
      (try .init(format: "born == %@", born), ["Ada", "Bob", "Eve"]),
      (try .init(format: "ANY accounts.number == 'Ada 1'"), ["Ada"]),
      (try .init(format: "ALL accounts.number != 'Ada 1'"), ["Bob", "Eve"]),
      (try .init(format: "SUBQUERY(accounts, $a, $a.number == 'Eve 0').@count > 0"), ["Eve"]),
      (try .init(format: "iban == 'iban of Ada' OR name == 'Bob'"), ["Ada", "Bob"]),
    ]
    for (predicate, expected) in cases {
      let request = FetchRequest("Person", where: predicate, sortDescriptors: [.init("name")])
      let found = try people.context(store).fetch(request).map { try $0.get("name", as: String.self) ?? "" }
      #expect(found == expected, "\(predicate)")
    }
    let path = FetchRequest("Account", where: .compare("owner.iban", .equal, "iban of Eve"))
    #expect(try context.count(for: path) == 2)
    let plan = try store.queryPlan(for: FetchRequest("Person", where: .compare("iban", .equal, "x")))
    #expect(!plan.isEvaluatedInMemory && plan.steps.contains { $0.text.contains("Index") }, "\(plan)")
    #expect(plan.suggestedIndexes.isEmpty)
  }

  @Test("unique sealed values are unique, can be exchanged, and an error names the objects, not the values")
  func uniqueness() async throws {
    let people = try SealedPeople()
    let store = try await people.store()
    let context = try people.context(store)
    let (ada, bob) = (try Self.person("Ada", context), try Self.person("Bob", context))
    let eve = try context.insert("Employee")
    try eve.set("badge", "secret badge")
    try context.save()
    try ada.set("iban", "iban of Bob")
    try bob.set("iban", "iban of Ada")
    try context.save()
    let late = try people.context(store)
    late.mergePolicy = .error
    let person = try Self.person("Ada", late)
    let refusal = await SealedPeople.refusal { try late.save() }
    #expect(refusal.code == "notUnique" || refusal.code == "other", "\(refusal)")
    #expect(refusal.message.contains("Person") && !refusal.message.contains("iban of Ada"), "\(refusal)")
    try late.delete(person)
    let employee = try late.insert("Employee")
    try employee.set("badge", "secret badge")
    #expect(throws: (any Error).self) { try late.save() }
    let merging = try people.context(store)
    merging.mergePolicy = .mergeByPropertyObjectTrump
    try Self.person("Ada", merging).set("note", "merged")
    try merging.save()
    let both = FetchRequest("Person", where: .compare("iban", .equal, "iban of Ada"))
    #expect(try people.context(store).fetch(both).map { try $0.get("note", as: String.self) } == ["merged"])
  }

  @Test("a value that was moved to another object, attribute or store does not open")
  func moved() async throws {
    let people = try SealedPeople()
    let other = try SealedPeople(people.vault)
    let server = try PostgresServer.shared()
    let (store, second) = (try await people.store(), try await other.store())
    for (own, one) in [(people, store), (other, second)] {
      let context = try own.context(one)
      for name in ["Ada", "Bob"] { _ = try Self.person(name, context) }
      try context.save()
    }
    let table = "\"\(people.schema)\".\"Person\""
    func code(_ change: String, _ name: String) async throws {
      let saved = try server.execute("SELECT _id, iban, note, \"isRich\", pin, size FROM \(table)")
      try server.execute("BEGIN; CREATE TABLE IF NOT EXISTS copy_of_people AS SELECT * FROM \(table); COMMIT")
      try server.execute(change)
      let refusal = await SealedPeople.refusal {
        _ = try people.context(store).fetch(FetchRequest("Person")).map { try $0.value(forKey: "note") }
      }
      #expect(refusal.code == "fileDamaged" && refusal.message.contains("Person.\(name)"), "\(refusal)")
      #expect(!refusal.message.contains("bees"))
      try server.execute(
        "UPDATE \(table) p SET iban = c.iban, note = c.note, \"isRich\" = c.\"isRich\", pin = c.pin,"
          + " size = c.size FROM copy_of_people c WHERE c._id = p._id")
      #expect(try server.execute("SELECT _id, iban, note, \"isRich\", pin, size FROM \(table)") == saved)
      #expect(try people.context(store).fetch(FetchRequest("Person")).count == 2)
    }
    try await code(
      "UPDATE \(table) p SET note = o.note FROM \(table) o WHERE o._id <> p._id", "note")
    try await code(
      "UPDATE \(table) p SET note = o.note FROM \"\(other.schema)\".\"Person\" o WHERE o._id = p._id", "note")
    try await code("UPDATE \(table) SET pin = size", "pin")
    try await code("UPDATE \(table) SET note = \"isRich\"", "note")
    try await code("UPDATE \(table) SET note = ''", "note")
    try await code("UPDATE \(table) SET note = set_byte(note, 20, 255 - get_byte(note, 20))", "note")
    try await code("UPDATE \(table) SET note = set_byte(note, 0, 99)", "note")
    // What says that values are equal is bound to the value.
    try await code(
      "UPDATE \(table) p SET pin = substring(p.size, 1, 32) || substring(p.pin, 33)", "pin")
    try server.execute("DROP TABLE copy_of_people")
  }
}
