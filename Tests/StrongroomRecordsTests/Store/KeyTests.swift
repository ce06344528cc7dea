import Foundation
import Locks
import StrongroomRecords
import Testing

@Suite("Keys of records")
struct KeyTests {
  struct Word: Record {
    static var primaryKey: KeyPath<Word, String> { \.text }
    var text: String
  }

  @Test("the recovery code of a new store opens it without its vault")
  func recovery() async throws {
    let place = try Place()
    let code = Locked<RecoveryCode?>(nil)
    var description = PersistentStoreDescription(url: place.url, vault: place.vault)
    description.recoveryCodeHandler = { new in code.withLock { $0 = new } }
    let store = try await RecordStore(description, [Word.self])
    try store.push(Word(text: "here"))
    try store.close()
    let written = try #require(code.withLock { $0 })
    let again = try await RecordStore(url: place.url, vault: RecoveryCodeVault(written), Word.self)
    #expect(try again.fetch(Word.self).map(\.text) == ["here"])
  }

  @Test(
    "without a vault the key is in the keyring",
    .enabled(if: ProcessInfo.processInfo.environment["STRONGROOM_PRIVATE_KEYRING"] == "1"))
  func keyring() async throws {
    let place = try Place()
    let store = try await RecordStore(url: place.url, Word.self)
    try store.push(Word(text: "here"))
    let identifier = try store.coordinator.persistentStore.identifier
    try store.close()
    #expect(try await SecretServiceVault().keys(for: identifier, interaction: .silent).count == 1)
    let again = try await RecordStore(url: place.url, Word.self)
    #expect(try again.count(Word.self) == 1)
  }
}
