import Foundation
import Strongroom
import Testing

/// Stores whose keys are in a real keyring.
@Suite(
  "Stores and the keyring", .serialized,
  .enabled(if: ProcessInfo.processInfo.environment["STRONGROOM_PRIVATE_KEYRING"] == "1"))
struct KeyringStoreTests {
  private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("strongroom-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
    func file(_ name: String) -> URL { url.appendingPathComponent(name) }
  }

  private let vault = SecretServiceVault()

  private func open(_ url: URL, create: Bool = false) async throws -> PersistentContainer {
    let model = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
    var description = PersistentStoreDescription(url: url, vault: vault)
    description.createsIfMissing = create
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    return container
  }

  private func make(_ url: URL) async throws -> UUID {
    let container = try await open(url, create: true)
    let context = container.newContext()
    try context.insert("Note").set("text", "kept")
    try context.save()
    try container.close()
    return try identifier(url)
  }

  private func identifier(_ url: URL) throws -> UUID {
    let head = try Data(contentsOf: url).prefix(16)
    return UUID(uuid: head.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }

  private func text(_ url: URL) async throws -> String? {
    let container = try await open(url)
    defer { try? container.close() }
    return try container.newContext().fetch(FetchRequest("Note"))[0].get("text", as: String.self)
  }

  @Test("64 processes at once make one store with one key, and all of them write and read it")
  func manyProcesses() async throws {
    let folder = try Folder()
    let url = folder.file("store")
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("torture-probe")
    let processes = try (0..<64).map { number in
      let process = Process()
      process.executableURL = program
      process.arguments = ["create", url.path]
      let output = folder.file("out-\(number)")
      try Data().write(to: output)
      process.standardOutput = try FileHandle(forWritingTo: output)
      try process.run()
      return process
    }
    for process in processes { process.waitUntilExit() }
    let lines = try Set((0..<64).map { try String(contentsOf: folder.file("out-\($0)"), encoding: .utf8) })
    let store = try identifier(url)
    #expect(lines == ["\(store) true\n"], "\(lines)")
    #expect(try await vault.keys(for: store, interaction: .silent).count == 1)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.hasSuffix(".new") })
    var description = PersistentStoreDescription(url: url, vault: vault)
    description.createsIfMissing = false
    #expect(try await SQLCipherStore.verify(description).isEmpty)
  }

  @Test("a file that was renamed, moved or copied opens, and two of one name have keys of their own")
  func names() async throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(at: folder.file("other"), withIntermediateDirectories: true)
    let (one, two) = (folder.file("store"), folder.file("other/store"))
    let identifiers = [try await make(one), try await make(two)]
    #expect(identifiers[0] != identifiers[1])
    try FileManager.default.copyItem(at: one, to: folder.file("copy"))
    try FileManager.default.moveItem(at: one, to: folder.file("renamed"))
    try FileManager.default.moveItem(at: two, to: folder.file("other/moved"))
    for name in ["copy", "renamed", "other/moved"] { #expect(try await text(folder.file(name)) == "kept") }
  }

  @Test("a deleted item is a missing key and never a new one; the recovery code brings it back")
  func deleted() async throws {
    let folder = try Folder()
    let url = folder.file("store")
    let store = try await make(url)
    let code = try await SQLCipherStore.recoveryCode(of: PersistentStoreDescription(url: url, vault: vault))
    for key in try await vault.keys(for: store, interaction: .silent) {
      try await vault.remove(key.identifier, for: store, interaction: .silent)
    }
    let before = try Data(contentsOf: url)
    for create in [false, true] {
      await #expect { try await open(url, create: create) } throws: {
        ($0 as? StoreError)?.code == .keyMissing
      }
    }
    #expect(try await vault.keys(for: store, interaction: .silent).isEmpty)
    #expect(try Data(contentsOf: url) == before)
    try await SQLCipherStore.restoreKey(of: PersistentStoreDescription(url: url, vault: vault), from: code)
    #expect(try await text(url) == "kept")
  }

  @Test("a second item does no harm, and two that do not fit are an error")
  func duplicated() async throws {
    let folder = try Folder()
    let url = folder.file("store")
    let store = try await make(url)
    let own = try await vault.keys(for: store, interaction: .silent)
    _ = try await vault.add(own[0].key, for: store, label: "the same", interaction: .silent)
    _ = try await vault.add(StoreKey(), for: store, label: "another", interaction: .silent)
    #expect(try await text(url) == "kept")
    for key in try await vault.keys(for: store, interaction: .silent) where key.key.isSame(as: own[0].key) {
      try await vault.remove(key.identifier, for: store, interaction: .silent)
    }
    _ = try await vault.add(StoreKey(), for: store, label: "a third", interaction: .silent)
    await #expect { try await open(url) } throws: { ($0 as? StoreError)?.code == .keyAmbiguous }
  }

  @Test("two vaults of one keyring are one place, and a key file is another")
  func places() async throws {
    let folder = try Folder()
    let url = folder.file("store")
    let store = try await make(url)
    var both = PersistentStoreDescription(url: url, vault: vault)
    both.keyVaults.append(SecretServiceVault(application: "org.strongroom.another"))
    for one in both.keyVaults {
      await #expect { try await SQLCipherStore.forgetKey(of: both, in: one) } throws: {
        ($0 as? StoreError)?.code == .keyMissing
      }
    }
    try await SQLCipherStore.moveKey(of: both, to: [both.keyVaults[1]])
    #expect(try await text(url) == "kept")
    let file = KeyFileVault(url: folder.file("keys"))
    try await SQLCipherStore.copyKey(of: both, to: [file])
    both.keyVaults.append(file)
    try await SQLCipherStore.forgetKey(of: both, in: vault)
    #expect(try await vault.keys(for: store, interaction: .silent).isEmpty)
    #expect(try await SQLCipherStore.verify(both).isEmpty)
    await #expect { try await SQLCipherStore.forgetKey(of: both, in: file) } throws: {
      ($0 as? StoreError)?.code == .keyMissing
    }
  }

  @Test("rotation, with the keys in the keyring")
  func rotation() async throws {
    let folder = try Folder()
    let url = folder.file("store")
    let store = try await make(url)
    let old = try await vault.keys(for: store, interaction: .silent)
    let result = try await SQLCipherStore.rotateKey(of: PersistentStoreDescription(url: url, vault: vault))
    #expect(result.retired == 1)
    let new = try await vault.keys(for: store, interaction: .silent)
    #expect(new.count == 1 && new[0].identifier != old[0].identifier)
    #expect(try await text(url) == "kept")
  }
}
