import Foundation
import ObjectModel
import PostgresServer
import StoreContract
import StoreKeyring
import StrongroomPostgres
import Testing

@Suite("TLS keys with a passphrase from the vaults", .enabled(if: PostgresServer.programs != nil))
struct ClientKeyTests {
  /// A folder with a certificate and key of a server, and of a user, whose key has a passphrase.
  private static func certificates() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-ec",
      """
      cd "$0"
      openssl req -x509 -newkey rsa:2048 -nodes -keyout server.key -out server.crt -days 2 -subj /CN=127.0.0.1
      openssl req -x509 -newkey rsa:2048 -passout 'pass:a phrase' -keyout user.key -out user.crt -days 2 \\
        -subj /CN=tester
      chmod 600 server.key user.key
      if [ "$(id -u)" = 0 ]; then chown nobody:nogroup . server.key server.crt; fi
      """, folder.path,
    ]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return folder
  }

  @Test("the passphrase of the key in the address is asked of the vaults")
  func passphrase() async throws {
    let folder = try Self.certificates()
    let port = Int.random(in: 20_000...40_000)
    let settings = [
      "listen_addresses=127.0.0.1", "ssl=on", "ssl_cert_file=\(folder.path)/server.crt",
      "ssl_key_file=\(folder.path)/server.key",
    ]
    let server = try PostgresServer(settings: settings, port: port)
    let vault = InMemoryVault()
    let address =
      "postgresql://tester@127.0.0.1:\(port)/postgres?sslrootcert=\(folder.path)/server.crt"
      + "&sslcert=\(folder.path)/user.crt&sslkey=\(folder.path)/user.key"
    var description = PersistentStoreDescription(type: PostgresStore.storeType, url: URL(string: address))
    description.keyVaults = [vault]
    let model = try ManagedObjectModel { Entity("A") { Attribute("a", .string) } }
    func open() async throws {
      let store = try PostgresStore(model: model, description: description)
      try await store.loadMetadata()
      #expect(try store.count(for: .init("A")) == 0)
      try store.close()
    }
    let none = await SealedPeople.refusal { try await open() }
    #expect(none.code == "keyMissing" && none.message.contains("private key"), "\(none)")
    let phrase = Array("a phrase".utf8).withUnsafeBytes { SecretBytes($0) }
    try await PostgresStore.setPassword(phrase, for: description, purpose: .clientKey)
    try await open()
    let wrong = Array("another".utf8).withUnsafeBytes { SecretBytes($0) }
    try await PostgresStore.setPassword(wrong, for: description, purpose: .clientKey)
    let refusal = await SealedPeople.refusal { try await open() }
    #expect(refusal.code != "" && !refusal.message.contains("another"), "\(refusal)")
    try FileManager.default.removeItem(at: folder)
    withExtendedLifetime(server) {}
  }
}
