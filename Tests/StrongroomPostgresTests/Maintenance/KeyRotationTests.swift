import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StoreKeyring
import StrongroomPostgres
import Testing

@Suite("Keys of sealed values changed", .enabled(if: PostgresServer.programs != nil))
struct KeyRotationTests {
  private func save(_ iban: String, _ store: PostgresStore, _ people: SealedPeople) throws {
    let context = try people.context(store)
    let person = try context.insert("Person")
    try person.set("iban", iban)
    try person.set("note", "note of \(iban)")
    try context.save()
  }

  /// The notes, in the order of their texts.
  private func read(_ store: PostgresStore, _ people: SealedPeople) throws -> [String] {
    try people.context(store).fetch(FetchRequest("Person"))
      .compactMap { try $0.get("note", as: String.self) }.sorted()
  }

  /// How many values each data key sealed, by its number.
  private func keys(_ people: SealedPeople) throws -> [String] {
    let sql =
      "SELECT get_byte(note, 3), count(*) FROM \"\(people.schema)\".\"Person\" GROUP BY 1 ORDER BY 1"
    return try PostgresServer.shared().execute(sql).split(separator: "\n").map(String.init)
  }

  @Test("another key in the vaults opens the store, the older one does not, and open stores go on")
  func wrapping() async throws {
    let people = try SealedPeople()
    let store = try await people.store()
    let other = try await people.store()
    try save("1", store, people)
    let old = try await people.vault.keys(for: store.identifier, interaction: .silent)[0].key
    let code = try await store.rotateKey(keepingOldKeys: false)
    let stored = try await people.vault.keys(for: store.identifier, interaction: .silent)
    #expect(stored.count == 1 && !stored[0].key.isSame(as: old))
    #expect(
      await SealedPeople.refusal { _ = try await people.store { $0.storeKey = old } }.code == "wrongKey")
    try save("2", other, people)
    try save("3", store, people)
    let opened = try await people.store { $0.keyVaults = [RecoveryCodeVault(code)] }
    #expect(try read(opened, people) == ["note of 1", "note of 2", "note of 3"])
    #expect(try keys(people) == ["1|3"])
    // The other program has the older key, and does not know the new one.
    #expect(await SealedPeople.refusal { _ = try await other.rotateKey() }.code == "keyMissing")
    #expect(try await people.vault.keys(for: store.identifier, interaction: .silent).count == 1)
    let given = StoreKey()
    _ = try await store.rotateKey(to: given)
    #expect(try await people.vault.keys(for: store.identifier, interaction: .silent).count == 2)
    let own = try await people.store { $0.storeKey = given }
    #expect(try read(own, people).count == 3)
    #expect(await SealedPeople.refusal { _ = try await own.rotateKey() }.code == "invalidValue")
  }

  @Test("a new data key seals what all programs save next, and older values are sealed again in batches")
  func dataKeys() async throws {
    let people = try SealedPeople()
    let store = try await people.store()
    let other = try await people.store()
    for number in 0..<3 { try save("old \(number)", store, people) }
    let entity = try #require(people.model.entity(named: "Account"))
    var count = 0
    _ = try store.insert(into: entity) { row in
      count += 1
      try row.set("number", .string("\(count)"))
      return count <= 1200
    }
    try store.renewDataKey()
    try save("new 1", other, people)
    try save("new 2", store, people)
    #expect(try keys(people) == ["1|3", "2|2"])
    let expected = ["note of new 1", "note of new 2", "note of old 0", "note of old 1", "note of old 2"]
    #expect(try read(store, people) == expected && read(other, people) == expected)
    let same = FetchRequest("Person", where: .compare("iban", .equal, "old 1"))
    #expect(try people.context(other).count(for: same) == 1)
    #expect(try store.resealValues() == 1200 + 6)
    #expect(try keys(people) == ["2|5"] && store.resealValues() == 0)
    #expect(try read(other, people) == expected)
    #expect(try people.context(other).count(for: same) == 1)
    // Objects in memory are as they were to the store.
    let context = try people.context(other)
    let person = try context.fetch(same)[0]
    try store.renewDataKey()
    try store.resealValues()
    try person.set("name", "changed")
    try context.save()
    let unique = try people.context(store)
    try unique.insert("Person").set("iban", "old 1")
    #expect(throws: (any Error).self) { try unique.save() }
  }

  @Test("keys that change while programs save lose nothing")
  func saving() async throws {
    let people = try SealedPeople()
    let store = try await people.store()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        group.addTask {
          let own = try await people.store()
          for turn in 0..<30 { try save("\(number) \(turn)", own, people) }
        }
      }
      group.addTask {
        for _ in 0..<6 {
          try store.renewDataKey()
          try store.resealValues()
        }
      }
      try await group.waitForAll()
    }
    try store.resealValues()
    let found = try read(try await people.store(), people)
    let expected = (0..<3).flatMap { number in (0..<30).map { "note of \(number) \($0)" } }
    #expect(found == expected.sorted())
    #expect(try keys(people) == ["7|90"])
  }

  @Test("a store that seals nothing, or is open for reading, has no key to change")
  func refused() async throws {
    let plain = try ManagedObjectModel { Entity("A") { Attribute("a", .string) } }
    let store = try await PostgresFactory.store(plain)
    #expect(await SealedPeople.refusal { _ = try await store.rotateKey() }.code == "unsupportedRequest")
    #expect(await SealedPeople.refusal { try store.renewDataKey() }.code == "unsupportedRequest")
    let people = try SealedPeople()
    try await people.store().close()
    let reading = try await people.store { $0.isReadOnly = true }
    #expect(await SealedPeople.refusal { try store.resealValues() }.code == "unsupportedRequest")
    #expect(await SealedPeople.refusal { try reading.renewDataKey() }.code == "readOnly")
    #expect(await SealedPeople.refusal { _ = try await reading.rotateKey() }.code == "readOnly")
    #expect(try await people.vault.keys(for: reading.identifier, interaction: .silent).count == 1)
  }
}
