import Foundation
import SecretService
import StoreKeyring
import Testing

@Suite("The Secret Service vault", .serialized, .enabled(if: Beside.hasPrivateKeyring))
struct SecretServiceVaultTests {
  let vault = SecretServiceVault(application: "org.strongroom.tests")

  @Test("keys are added, found newest first, and removed one by one")
  func life() async throws {
    let store = UUID()
    #expect(try await vault.keys(for: store, interaction: .silent).isEmpty)
    let (first, second) = (StoreKey(), StoreKey())
    let firstID = try await vault.add(first, for: store, label: "one\nline", interaction: .silent)
    let secondID = try await vault.add(second, for: store, label: "two", interaction: .silent)
    let found = try await vault.keys(for: store, interaction: .silent)
    #expect(Set(found.map(\.identifier)) == [firstID, secondID])
    #expect(found.first { $0.identifier == firstID }?.key.isSame(as: first) == true)
    #expect(found.first { $0.identifier == secondID }?.key.isSame(as: second) == true)
    try await vault.remove(firstID, for: store, interaction: .silent)
    #expect(try await vault.keys(for: store, interaction: .silent).map(\.identifier) == [secondID])
    #expect(try await vault.keys(for: UUID(), interaction: .silent).isEmpty)
    try await vault.remove(secondID, for: store, interaction: .silent)
    try await vault.remove(secondID, for: store, interaction: .silent)
    #expect(try await vault.keys(for: store, interaction: .silent).isEmpty)
  }

  @Test("a store's keys are found and removed whatever program added them")
  func otherApplication() async throws {
    let store = UUID()
    let key = StoreKey()
    let identifier = try await SecretServiceVault(application: "org.example.other")
      .add(key, for: store, label: "other", interaction: .silent)
    let found = try await vault.keys(for: store, interaction: .silent)
    #expect(found.map(\.identifier) == [identifier] && found[0].key.isSame(as: key))
    try await vault.remove(identifier, for: store, interaction: .silent)
    #expect(try await vault.keys(for: store, interaction: .silent).isEmpty)
  }

  @Test("a history head is replaced, found by its store, and is no key")
  func head() async throws {
    let store = UUID()
    #expect(try await vault.historyHead(for: store, interaction: .silent) == nil)
    let identifier = try await vault.add(StoreKey(), for: store, label: "key", interaction: .silent)
    for number in [5, 6] as [Int64] {
      let head = HistoryHead(transactionNumber: number, fingerprint: Data([1, 2]), recorded: Date())
      try await vault.setHistoryHead(head, for: store, label: "head", interaction: .silent)
      #expect(try await vault.historyHead(for: store, interaction: .silent) == head)
    }
    #expect(try await vault.historyHead(for: UUID(), interaction: .silent) == nil)
    #expect(try await vault.keys(for: store, interaction: .silent).map(\.identifier) == [identifier])
    try await vault.remove(identifier, for: store, interaction: .silent)
  }

  @Test("an item that another program damaged is reported as such")
  func damaged() async throws {
    let store = UUID()
    let lines = try Beside.shell(
      "printf 'v1:nonsense' | secret-tool store --label=x application org.strongroom.tests store"
        + " \(store.uuidString.lowercased()) keyid abc && echo stored"
    )
    guard lines == ["stored"] else { return }  // libsecret-tools is not installed
    await #expect(throws: KeyringError.self) { try await vault.keys(for: store, interaction: .silent) }
  }

  @Test("a cancelled task ends at once")
  func cancellation() async throws {
    let vault = vault
    let task = Task { try await vault.keys(for: UUID(), interaction: .silent) }
    task.cancel()
    do { _ = try await task.value } catch let error as KeyringError { #expect(error.code == .cancelled) }
  }
}
