import Foundation
import StrongroomData
import Testing

enum KeysAndRecovery {
  @Model final class Secret {
    var text: String

    init(_ text: String) { self.text = text }
  }

  /// Makes a store with one model in it.
  static func makeStore(at url: URL, vault: any KeyVault) throws {
    let context = ModelContext(
      try ModelContainer(for: Secret.self, configurations: ModelConfiguration(url: url, keyVault: vault)))
    context.insert(Secret("hidden treasure"))
    try context.save()
  }

  /// What the store holds.
  static func texts(at url: URL, vault: any KeyVault) throws -> [String] {
    let context = ModelContext(
      try ModelContainer(for: Secret.self, configurations: ModelConfiguration(url: url, keyVault: vault)))
    return try context.fetch(FetchDescriptor<Secret>()).map(\.text)
  }
}

extension KeysAndRecovery {
  @Suite("The manual: keys")
  struct Tests {
    @Test("A key in a file, and a store that opens with it alone")
    func keyFile() throws {
      let place = try Place()
      let (url, keys) = (place.file("secret.store"), place.file("keys"))
      do {
        let configuration = ModelConfiguration(url: url, keyVault: KeyFileVault(url: keys))
        let container = try ModelContainer(for: Secret.self, configurations: configuration)
        let context = ModelContext(container)
        context.insert(Secret("hidden treasure"))
        try context.save()
      }
      #expect(FileManager.default.fileExists(atPath: keys.path))
      #expect(try KeysAndRecovery.texts(at: url, vault: KeyFileVault(url: keys)) == ["hidden treasure"])
      let bytes = try Data(contentsOf: url)
      #expect(bytes.range(of: Data("treasure".utf8)) == nil && bytes.range(of: Data("Secret".utf8)) == nil)
      var reason = ""
      do {
        _ = try ModelContainer(
          for: Secret.self, configurations: ModelConfiguration(url: url, keyVault: InMemoryVault()))
      } catch let error as SwiftDataError where error == .loadIssueModelContainer {
        reason = "\(error.cause.map { "\($0)" } ?? error.message)"
      }
      #expect(reason.contains("keyMissing"))
    }

    @Test("A key in two places, and the code of a new store")
    func twoVaults() throws {
      let place = try Place()
      let (url, keys, copies) = (place.file("secret.store"), place.file("keys"), place.file("copies"))
      let show: @Sendable (UnsafeRawBufferPointer) -> Void = { text in
        try? Data(text).write(to: url.appendingPathExtension("code"))
      }
      var twofold = ModelConfiguration(url: url, keyVault: KeyFileVault(url: keys))
      twofold.keyVaults.append(KeyFileVault(url: copies))
      twofold.recoveryCodeHandler = { code in code.withText { show($0) } }
      let made = try ModelContainer(for: Secret.self, configurations: twofold)
      #expect(made.configurations.count == 1)
      #expect(try Data(contentsOf: url.appendingPathExtension("code")).count >= 60)
      #expect(try KeysAndRecovery.texts(at: url, vault: KeyFileVault(url: copies)).isEmpty)
    }

    @Test("A passphrase")
    func passphrase() throws {
      let place = try Place()
      let url = place.file("secret.store")
      let typed = Array("correct horse".utf8)
      let passphrase = PassphraseVault(beside: url) {
        typed.withUnsafeBytes { SecretBytes($0) }
      }
      let guarded = ModelConfiguration(url: url, keyVault: passphrase)
      let context = ModelContext(try ModelContainer(for: Secret.self, configurations: guarded))
      context.insert(Secret("hidden treasure"))
      try context.save()
      let wrapped = try String(contentsOf: URL(fileURLWithPath: url.path + ".keys"), encoding: .utf8)
      #expect(wrapped.contains("sealed") && !wrapped.contains("correct horse"))
      #expect(try context.fetchCount(FetchDescriptor<Secret>()) == 1)
    }
  }
}
