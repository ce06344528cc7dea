import Strongroom
import StrongroomData
import Testing

@Suite("The manual: recovery and rotation")
struct CareOfStoresTests {
  @Test("The recovery code brings a lost key back")
  func recovery() async throws {
    let place = try Place()
    let (url, vault) = (place.file("secret.store"), place.vault)
    try KeysAndRecovery.makeStore(at: url, vault: vault)
    var written: [UInt8] = []
    func show(_ text: UnsafeRawBufferPointer) { written = Array(text) }
    do {
      let description = PersistentStoreDescription(url: url, vault: vault)
      let code = try await SQLCipherStore.recoveryCode(of: description)
      code.withText { show($0) }
      try await SQLCipherStore.noteRecoveryCodeShown(of: description)
      #expect(try await SQLCipherStore.recoveryCodeWasShown(of: description))
    }
    #expect(written.count == 71)
    let (typed, newVault) = (written, InMemoryVault())
    do {
      let code = try typed.withUnsafeBytes { try RecoveryCode(text: $0) }
      let description = PersistentStoreDescription(url: url, vault: newVault)
      try await SQLCipherStore.restoreKey(of: description, from: code)
    }
    #expect(try KeysAndRecovery.texts(at: url, vault: newVault) == ["hidden treasure"])
  }

  private func rotateOpen(_ url: URL, _ vault: InMemoryVault) async throws {
    func show(_ text: UnsafeRawBufferPointer) { #expect(text.count == 71) }
    let description = PersistentStoreDescription(url: url, vault: vault)
    let container = try ModelContainer(
      for: KeysAndRecovery.Secret.self, configurations: ModelConfiguration(url: url, keyVault: vault))
    let coordinator = container.persistentContainer.persistentStoreCoordinator
    if let store = coordinator.persistentStores.first as? SQLCipherStore {
      let rotation = try await store.rotateKey()
      rotation.recoveryCode.withText { show($0) }
      try await SQLCipherStore.noteRecoveryCodeShown(of: description)
    }
    #expect(try await SQLCipherStore.recoveryCodeWasShown(of: description))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<KeysAndRecovery.Secret>()) == 1)
  }

  @Test("Several vaults, another key, and copies")
  func rotation() async throws {
    let place = try Place()
    let (url, vault) = (place.file("secret.store"), place.vault)
    let file = KeyFileVault(url: place.file("keys"))
    let copy = place.file("copy.store")
    try KeysAndRecovery.makeStore(at: url, vault: vault)
    let description = PersistentStoreDescription(url: url, vault: vault)
    try await SQLCipherStore.copyKey(of: description, to: [file])  // opens with either from now on
    let rotation = try await SQLCipherStore.rotateKey(of: description)
    let retired = rotation.retired
    func show(_ text: UnsafeRawBufferPointer) { #expect(text.count == 71) }
    rotation.recoveryCode.withText { show($0) }
    try await SQLCipherStore.noteRecoveryCodeShown(of: description)
    #expect(retired == 1 && rotation.vaultsWithOldKeys.isEmpty)
    #expect(try KeysAndRecovery.texts(at: url, vault: vault) == ["hidden treasure"])
    try await SQLCipherStore.backUp(description, to: copy)  // of a store in use
    let findings = try await SQLCipherStore.verify(description)  // every page and relationship
    #expect(findings.isEmpty)
    #expect(try KeysAndRecovery.texts(at: copy, vault: vault) == ["hidden treasure"])
    try KeysAndRecovery.makeStore(at: url, vault: vault)
    #expect(try KeysAndRecovery.texts(at: url, vault: vault).count == 2)
    let backup = PersistentStoreDescription(url: copy, vault: vault)
    try await SQLCipherStore.restore(from: backup, to: url, replacing: true)  // closed by all
    let sizes = try await SQLCipherStore.compact(description)  // gives back the room of deleted objects
    #expect(sizes.after > 0 && sizes.after <= sizes.before)
    #expect(try KeysAndRecovery.texts(at: url, vault: vault) == ["hidden treasure"])
    try await rotateOpen(url, vault)
    // A rotation leaves the copy with its old key.
    _ = try await SQLCipherStore.rotateKey(of: description)
    #expect(throws: SwiftDataError.self) { try KeysAndRecovery.texts(at: copy, vault: vault) }
  }
}
