import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("The history of sealed attributes", .enabled(if: PostgresServer.programs != nil))
struct SealedHistoryTests {
  private static func model() throws -> ManagedObjectModel {
    try SealedPeople.model { entities in
      entities[0].userInfo[EntityDescription.recordsHistoryValuesKey] = "YES"
      for place in entities[0].attributes.indices {
        entities[0].attributes[place].preservesValueInHistoryOnDeletion = true
      }
    }
  }

  @Test("values before and after changes and tombstones are sealed in the history, and read as they were")
  func values() async throws {
    let people = try SealedPeople()
    let model = try Self.model()
    let store = try await people.store(model)
    let context = try SealedPeople.context(store, model)
    let person = try context.insert("Person")
    for (name, value) in SealedPeople.values { try person.setValue(value, forKey: name) }
    try context.save()
    try person.set("iban", "changed")
    try person.set("note", String?.none)
    try context.save()
    try store.renewDataKey()
    try context.delete(person)
    try context.save()
    let reader = try await people.store(model)
    let request = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
    let changes = try reader.execute(request).transactions.flatMap { $0.changes ?? [] }
    try #require(changes.count == 3)
    for (name, value) in SealedPeople.values {
      #expect(changes[0].newValues?[name] == .attribute(value), "\(name)")
      let last = ["iban": "changed", "note": .null][name] ?? value
      #expect(
        changes[2].tombstone?[name] == last && changes[2].oldValues?[name] == .attribute(last), "\(name)")
    }
    #expect(changes[1].oldValues?["iban"] == SealedPeople.values["iban"].map { .attribute($0) })
    #expect(changes[1].newValues?["iban"] == .attribute("changed"))
    #expect(changes[1].newValues?["note"] == .attribute(.null))
    let rows = try PostgresServer.shared().execute(
      "SELECT convert_from(\"values\", 'UTF8') FROM \"\(people.schema)\"._transaction")
    #expect(rows.contains("Ada") && !rows.contains("DE02") && !rows.contains("changed"))
    #expect(!rows.contains("4711") && !rows.contains("1.75"))
    let preserved = try PostgresServer.shared().execute(
      "SELECT encode(changes, 'escape') FROM \"\(people.schema)\"._transaction")
    #expect(preserved.contains("Ada") && !preserved.contains("changed") && !preserved.contains("4711"))
  }

  @Test("values of before an attribute is sealed in the other form are still read")
  func otherForm() async throws {
    let people = try SealedPeople()
    let models = try [AttributeSealing.full, .equality, .full].map { sealing in
      try SealedPeople.model { entities in
        entities[0].userInfo[EntityDescription.recordsHistoryValuesKey] = "YES"
        let place = entities[0].attributes.firstIndex { $0.name == "size" } ?? 0
        entities[0].attributes[place].sealing = sealing
      }
    }
    for (place, model) in models.enumerated() {
      let store = try await people.store(model)
      let context = try SealedPeople.context(store, model)
      try context.insert("Person").set("size", Double(place))
      try context.save()
      let request = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
      let changes = try store.execute(request).transactions.flatMap { $0.changes ?? [] }
      #expect(
        changes.map { $0.newValues?["size"] } == (0...place).map { .attribute(.double(Double($0))) })
      try store.close()
    }
  }
}
