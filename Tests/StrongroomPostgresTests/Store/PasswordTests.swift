import Foundation
import ObjectModel
import PostgresServer
import SecretService
import StoreContract
import StoreKeyring
import StrongroomPostgres
import Testing

@Suite("Passwords of servers from the vaults", .enabled(if: PostgresServer.programs != nil))
struct PasswordTests {
  private static func secret(_ text: String) -> SecretBytes {
    Array(text.utf8).withUnsafeBytes { SecretBytes($0) }
  }

  private static let model = Result {
    try ManagedObjectModel { Entity("A") { Attribute("a", .string) } }
  }

  private func open(_ description: PersistentStoreDescription) async throws {
    let store = try PostgresStore(model: try Self.model.get(), description: description)
    try await store.loadMetadata()
    defer { try? store.close() }
    #expect(try store.count(for: .init("A")) == 0)
    #expect(try store.remoteChangeCount == 0)
  }

  @Test("a password is asked of the vaults where the address has none, and the address goes before")
  func passwords() async throws {
    let server = try PostgresServer(password: "right word")
    let vault = InMemoryVault()
    var description = PersistentStoreDescription(type: PostgresStore.storeType, url: try server.url)
    let none = await SealedPeople.refusal { try await open(description) }
    #expect(none.code == "keyMissing" && none.message.contains("setPassword"), "\(none)")
    #expect(
      await SealedPeople.refusal {
        try await PostgresStore.setPassword(Self.secret("x"), for: description)
      }.code == "keyMissing")
    description.keyVaults = [CredentialVault("none"), vault]
    #expect(await SealedPeople.refusal { try await open(description) }.code == "keyMissing")
    try await PostgresStore.setPassword(Self.secret("wrong word"), for: description)
    let wrong = await SealedPeople.refusal { try await open(description) }
    #expect(wrong.code == "wrongKey" && !wrong.message.contains("wrong word"), "\(wrong)")
    try await PostgresStore.setPassword(Self.secret("right word"), for: description)
    try await open(description)
    let account = ServerAccount(
      server: server.folder.path, port: 5432, user: "tester", database: "postgres")
    #expect(try await vault.password(for: account, interaction: .silent) != nil)
    _ = try await PostgresStore.storedModel(description)
    // What the address says goes before.
    var given = description
    given.url = URL(string: try server.url.absoluteString + "&password=other%20word")
    #expect(await SealedPeople.refusal { try await open(given) }.code == "wrongKey")
    vault.fail(with: KeyringError(.vaultLocked, "locked"))
    #expect(await SealedPeople.refusal { try await open(description) }.code == "vaultLocked")
    given.url = URL(string: try server.url.absoluteString + "&password=right%20word")
    try await open(given)
    vault.fail(with: nil)
    try await PostgresStore.removePassword(for: description)
    #expect(await SealedPeople.refusal { try await open(description) }.code == "keyMissing")
  }

  @Test("a server that asks for none, and libpq's own file, leave the vaults alone")
  func unasked() async throws {
    let vault = InMemoryVault()
    vault.fail(with: KeyringError(.vaultLocked, "locked"))
    let schema = try PostgresServer.shared().newSchema()
    var description = try PostgresFactory.description(schema: schema)
    description.keyVaults = [vault]
    try await open(description)
    let server = try PostgresServer(password: "word of a file")
    let file = server.folder.appending(path: "pgpass")
    try Data("*:*:*:tester:word of a file\n".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    description.url = URL(string: try server.url.absoluteString + "&passfile=\(file.path)")
    try await open(description)
  }

  @Test(
    "the desktop's keyring has the password",
    .enabled(if: ProcessInfo.processInfo.environment["STRONGROOM_PRIVATE_KEYRING"] == "1"))
  func keyring() async throws {
    let server = try PostgresServer(password: "word of a keyring")
    var description = PersistentStoreDescription(type: PostgresStore.storeType, url: try server.url)
    description.keyVaults = [SecretServiceVault()]
    #expect(await SealedPeople.refusal { try await open(description) }.code == "keyMissing")
    try await PostgresStore.setPassword(Self.secret("word of a keyring"), for: description)
    try await open(description)
    try await PostgresStore.removePassword(for: description)
    #expect(await SealedPeople.refusal { try await open(description) }.code == "keyMissing")
    try await PostgresStore.removePassword(for: description)
  }
}
