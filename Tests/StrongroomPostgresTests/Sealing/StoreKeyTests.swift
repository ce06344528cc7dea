import Foundation
import Locks
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StoreKeyring
import StrongroomPostgres
import Testing

@Suite("The key of sealed values", .enabled(if: PostgresServer.programs != nil))
struct StoreKeyTests {
  private func filled(_ people: SealedPeople) async throws -> UUID {
    let store = try await people.store()
    let context = try people.context(store)
    try context.insert("Person").set("iban", "DE")
    try context.save()
    try store.close()
    return store.identifier
  }

  private func read(_ store: PostgresStore, _ people: SealedPeople) throws -> [String?] {
    try people.context(store).fetch(FetchRequest("Person", sortDescriptors: [.init("self")]))
      .map { try $0.get("iban") }
  }

  @Test("a store whose key the vaults do not have does not open, and no key is made for it")
  func lost() async throws {
    let people = try SealedPeople()
    let identifier = try await filled(people)
    let empty = InMemoryVault()
    func refusal(_ change: @escaping (inout PersistentStoreDescription) -> Void) async -> (String, String) {
      await SealedPeople.refusal { _ = try await people.store(people.model, change) }
    }
    #expect(await refusal { $0.keyVaults = [empty] }.0 == "keyMissing")
    #expect(await refusal { $0.keyVaults = [] }.0 == "keyMissing")
    #expect(try await empty.keys(for: identifier, interaction: .silent).isEmpty)
    _ = try await empty.add(StoreKey(), for: identifier, label: "other", interaction: .silent)
    let wrong = await refusal { $0.keyVaults = [empty] }
    #expect(wrong.0 == "wrongKey" && wrong.1.contains("recovery code"), "\(wrong)")
    #expect(await refusal { $0.storeKey = StoreKey() }.0 == "wrongKey")
    let locked = InMemoryVault()
    locked.fail(with: KeyringError(.vaultLocked, "locked"))
    #expect(await refusal { $0.keyVaults = [locked] }.0 == "vaultLocked")
    // A vault that cannot answer does not matter where another one has the key.
    let store = try await people.store { $0.keyVaults = [locked, empty, people.vault] }
    #expect(try read(store, people) == ["DE"])
    #expect(try await people.vault.keys(for: identifier, interaction: .silent).count == 1)
  }

  @Test("a store is made only when a vault has its key, and the recovery code opens it")
  func made() async throws {
    let people = try SealedPeople()
    people.vault.fail(with: KeyringError(.vaultLocked, "locked"))
    #expect(await SealedPeople.refusal { _ = try await people.store() }.code == "vaultLocked")
    #expect(
      await SealedPeople.refusal { _ = try await people.store { $0.keyVaults = [] } }.code == "keyMissing")
    let schemas = try PostgresServer.shared().execute(
      "SELECT count(*) FROM pg_namespace WHERE nspname = '\(people.schema)'")
    #expect(schemas == "0\n")
    people.vault.fail(with: nil)
    let codes = Codes()
    let store = try await people.store { $0.recoveryCodeHandler = { codes.add($0) } }
    try people.context(store).insert("Person").managedObjectContext?.save()
    _ = try await people.store { $0.recoveryCodeHandler = { codes.add($0) } }
    #expect(codes.all.count == 1)
    let code = try #require(codes.all.first)
    let opened = try await people.store { $0.keyVaults = [RecoveryCodeVault(code)] }
    #expect(opened.identifier == store.identifier)
    // Another machine's vault has the key from then on.
    let other = InMemoryVault()
    var description = opened.description
    description.keyVaults = [other]
    try await PostgresStore.restoreKey(of: description, from: code)
    let there = try await people.store { $0.keyVaults = [other] }
    let next = try await there.rotateKey(keepingOldKeys: false)
    #expect(
      await SealedPeople.refusal { try await PostgresStore.restoreKey(of: description, from: code) }.code
        == "wrongKey")
    try await PostgresStore.restoreKey(of: description, from: next)
    #expect(try await people.store { $0.keyVaults = [other] }.identifier == store.identifier)
  }

  @Test("numbers of attributes that others exchange are noticed, by which values would open as another's")
  func numbers() async throws {
    let people = try SealedPeople()
    _ = try await filled(people)
    let (first, second) = ("'{attributes,Person,iban}'", "'{attributes,Person,note}'")
    try PostgresServer.shared().execute(
      """
      UPDATE "\(people.schema)"._store SET value = jsonb_set(
      jsonb_set(value::jsonb, \(first), value::jsonb #> \(second)), \(second), value::jsonb #> \(first))::text
      WHERE name = 'sealing'
      """)
    #expect(await SealedPeople.refusal { _ = try await people.store() }.code == "fileDamaged")
  }

  @Test("a store that cannot be made leaves no key in the vault")
  func forgotten() async throws {
    let people = try SealedPeople()
    let server = try PostgresServer.shared()
    try server.execute("CREATE ROLE guest LOGIN")
    let address = try server.url.absoluteString.replacing("user=tester", with: "user=guest")
    let vault = SpyingVault()
    let refusal = await SealedPeople.refusal {
      _ = try await people.store {
        $0.url = URL(string: address)
        $0.keyVaults = [vault]
      }
    }
    #expect(refusal.code == "readOnly")
    #expect(vault.added == 1 && vault.removed == 1)
  }

  @Test("programs that make a store at once agree on one key, and all read what each saved")
  func together() async throws {
    let people = try SealedPeople()
    let identifiers = try await withThrowingTaskGroup(of: UUID.self) { group in
      for number in 0..<8 {
        group.addTask {
          let store = try await people.store()
          let context = try people.context(store)
          try context.insert("Person").set("iban", "DE \(number)")
          try context.save()
          return store.identifier
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(identifiers.count == 1)
    let store = try await people.store()
    #expect(Set(try read(store, people)) == Set((0..<8).map { "DE \($0)" }))
    let identifier = try #require(identifiers.first)
    #expect(try await people.vault.keys(for: identifier, interaction: .silent).count == 1)
  }

  @Test("wrapped keys that somebody changed are refused")
  func damaged() async throws {
    let people = try SealedPeople()
    _ = try await filled(people)
    let server = try PostgresServer.shared()
    let table = "\"\(people.schema)\"._store"
    try server.execute("UPDATE \(table) SET value = replace(value, '\"dataKeys\"', '\"keys\"')")
    #expect(await SealedPeople.refusal { _ = try await people.store() }.code == "schemaMismatch")
    try server.execute("DELETE FROM \(table) WHERE name = 'sealing'")
    let refusal = await SealedPeople.refusal { _ = try await people.store() }
    #expect(refusal.code == "fileDamaged", "\(refusal)")
  }
}

/// Recovery codes that were shown.
private final class Codes: Sendable {
  private let shown = Locked<[RecoveryCode]>([])
  func add(_ code: RecoveryCode) { shown.withLock { $0.append(code) } }
  var all: [RecoveryCode] { shown.withLock(\.self) }
}

/// A vault that counts what is added to it and removed.
private final class SpyingVault: KeyVault {
  private let inner = InMemoryVault()
  private let counts = Locked((added: 0, removed: 0))
  var name: String { "a vault" }
  var added: Int { counts.withLock(\.added) }
  var removed: Int { counts.withLock(\.removed) }

  func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
    try await inner.keys(for: store, interaction: interaction)
  }

  func add(
    _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws -> KeyIdentifier {
    counts.withLock { $0.added += 1 }
    return try await inner.add(key, for: store, label: label, interaction: interaction)
  }

  func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
    counts.withLock { $0.removed += 1 }
    try await inner.remove(identifier, for: store, interaction: interaction)
  }
}
