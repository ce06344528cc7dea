import Foundation
import Glibc
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StoreKeyring
import StrongroomPostgres
import Testing

/// What a server with the most talkative log there is gets to see.
@Suite("Sealed values and keys are not on the server", .enabled(if: PostgresServer.programs != nil))
struct SecrecyTests {
  private static let settings = [
    "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_utility=on", "log_statement=all",
    "log_min_duration_statement=0", "log_parameter_max_length=-1", "log_parameter_max_length_on_error=-1",
    "log_error_verbosity=verbose", "log_min_messages=debug1", "wal_compression=off", "autovacuum=off",
  ]

  private static let sealed: [String: AttributeValue] = [
    "iban": "SealedIban-7f3a9c51d2", "note": "SealedNote-€-5b8e0c7742",
    "photo": .data(Data("SealedPhoto-91aa".utf8)),
    "salary": .decimal(Decimal(string: "90817263544536271.25") ?? 0), "pin": 1_926_408_317,
    "born": .date(Date(timeIntervalSinceReferenceDate: 123_456_789.015_625)), "size": 7.123_456_789_012_3,
    "token": .uuid(UUID(uuid: (0xA9, 0x5E, 0xA1, 0xED, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xF7, 0x33))),
    "page": .uri(URL(fileURLWithPath: "/SealedPage-40d1")),
    "rate": .decimal(Decimal(string: "0.8172635445") ?? 0),
  ]

  /// The forms in which a server could have a value.
  private static func forms(_ value: AttributeValue) -> [[UInt8]] {
    func bits(_ number: Double) -> [UInt8] { withUnsafeBytes(of: number.bitPattern.bigEndian) { Array($0) } }
    switch value {
    case .string(let text): return [Array(text.utf8)]
    case .data(let data): return [Array(data)]
    case .decimal(let number): return [Array(number.description.utf8)]
    case .integer(let number):
      return [Array(String(number).utf8), withUnsafeBytes(of: number.bigEndian) { Array($0) }]
    case .date(let date): return [bits(date.timeIntervalSinceReferenceDate), Array("123456789.015625".utf8)]
    case .double(let number): return [bits(number), Array("\(number)".utf8)]
    case .uuid(let uuid):
      return [withUnsafeBytes(of: uuid.uuid) { Array($0) }, Array(uuid.uuidString.lowercased().utf8)]
    case .uri(let url): return [Array(url.absoluteString.utf8)]
    default: return []
    }
  }

  /// Bytes as they are, in hex, and in Base64 wherever they begin.
  private static func codings(_ bytes: [UInt8]) -> [[UInt8]] {
    let hex = bytes.map { String(format: "%02x", $0) }.joined()
    let base64 = (0..<3).map { start -> String in
      let rest = bytes.dropFirst(start)
      return Data(rest.prefix(rest.count / 3 * 3)).base64EncodedString()
    }
    return [bytes, Array(hex.utf8), Array(hex.uppercased().utf8)]
      + base64.filter { $0.utf8.count >= 8 }.map { Array($0.utf8) }
  }

  private typealias Search =
    @convention(c) (
      UnsafeRawPointer?, Int, UnsafeRawPointer?, Int
    ) -> UnsafeRawPointer?

  /// Glibc's `memmem`, which its module does not show.
  private static let search = unsafeBitCast(dlsym(nil, "memmem"), to: Search.self)

  /// Where some bytes are among what the server has written.
  private static func places(_ needles: [[UInt8]], in files: [(name: String, data: Data)]) -> [String] {
    files.compactMap { file in
      let isThere = file.data.withUnsafeBytes { bytes in
        needles.contains { search(bytes.baseAddress, bytes.count, $0, $0.count) != nil }
      }
      return isThere ? file.name : nil
    }
  }

  private static func files(_ server: PostgresServer) throws -> [(name: String, data: Data)] {
    let view = try server.execute("SELECT query FROM pg_stat_statements")
    var all = [("pg_stat_statements", Data(view.utf8))]
    for folder in ["data", "log"] {
      let start = server.folder.appending(path: folder)
      let inside = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil)
      let urls = (inside?.compactMap { $0 as? URL } ?? []) + [start]
      for url in urls {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue,
          let data = try? Data(contentsOf: url)
        else { continue }
        all.append((url.path.replacing(server.folder.path, with: ""), data))
      }
    }
    return all
  }

  private static func model() throws -> ManagedObjectModel {
    try SealedPeople.model { entities in
      entities[0].userInfo[EntityDescription.recordsHistoryValuesKey] = "YES"
      for place in entities[0].attributes.indices {
        entities[0].attributes[place].preservesValueInHistoryOnDeletion = true
      }
    }
  }

  @Test("no file, log line or statistic has a sealed value, a key or the password; it has the others")
  func server() async throws {
    let password = "Password-5d21c0de77"
    let server = try PostgresServer(settings: Self.settings, password: password)
    try server.execute("CREATE EXTENSION pg_stat_statements")
    let vault = InMemoryVault()
    let model = try Self.model()
    var description = PersistentStoreDescription(type: PostgresStore.storeType, url: try server.url)
    description.keyVaults = [vault]
    let secret = Array(password.utf8).withUnsafeBytes { SecretBytes($0) }
    try await PostgresStore.setPassword(secret, for: description)
    let store = try PostgresStore(model: model, description: description)
    try await store.loadMetadata()
    let messages = try await use(store, model, server)
    let key = try await vault.keys(for: store.identifier, interaction: .silent)[0].key
    _ = try await store.rotateKey()
    try store.renewDataKey()
    try store.resealValues()
    let new = try await vault.keys(for: store.identifier, interaction: .silent)[0].key
    #expect(!new.isSame(as: key))
    try server.execute("CHECKPOINT")
    let files = try Self.files(server)
    #expect(files.contains { $0.name.contains("pg_wal") } && files.contains { $0.name == "/log" })
    for (name, value) in Self.sealed {
      let needles = Self.forms(value).flatMap(Self.codings)
      #expect(!needles.isEmpty)
      #expect(Self.places(needles, in: files) == [], "\(name)")
      for message in messages {
        #expect(Self.places(needles, in: [("message", Data(message.utf8))]) == [], "\(name): \(message)")
      }
    }
    for bytes in [key.withUnsafeBytes { Array($0) }, new.withUnsafeBytes { Array($0) }, Array(password.utf8)]
    {
      #expect(Self.places(Self.codings(bytes), in: files) == [])
    }
    // Control: what is not sealed is in the table, the write-ahead log, the log and the statements.
    let found = Self.places([Array("PlainName-3c9d".utf8)], in: files)
    for part in ["/data/base/", "/data/pg_wal/", "/log"] {
      #expect(found.contains { $0.hasPrefix(part) }, "\(part): \(found)")
    }
    #expect(Self.places([Array("INSERT INTO".utf8)], in: files).contains("pg_stat_statements"))
    let encoded = Self.codings(Array("PlainPicture-5521".utf8))
    #expect(Self.places([encoded[1]], in: files).contains("/log"))
  }

  /// Does all that sends values to a server.
  /// - Returns: The errors' messages.
  private func use(
    _ store: PostgresStore, _ model: ManagedObjectModel, _ server: PostgresServer
  ) async throws -> [String] {
    let context = try SealedPeople.context(store, model)
    func person(_ context: ManagedObjectContext) throws -> ManagedObject {
      let person = try context.insert("Person")
      for (name, value) in Self.sealed { try person.setValue(value, forKey: name) }
      try person.set("name", "PlainName-3c9d")
      return person
    }
    let ada = try person(context)
    let account = try context.insert("Account")
    try account.set("number", "SealedIban-7f3a9c51d2")
    try account.set("plain", Data("PlainPicture-5521".utf8))
    try account.setObject(ada, forKey: "owner")
    try context.save()
    for name in ["iban", "pin", "born", "size", "token", "rate"] {
      let value = try #require(Self.sealed[name])
      for comparing in [FetchOperator.equal, .notEqual] {
        _ = try context.count(for: FetchRequest("Person", where: .compare(name, comparing, value)))
      }
      let list = FetchExpression.list([.value(value)])
      let isIn = FetchPredicate.comparison(FetchComparison(.path(name), .in, list))
      #expect(try context.fetch(FetchRequest("Person", where: isIn)).count == 1, "\(name)")
    }
    var messages: [String] = []
    func failing(_ body: () throws -> Void) {
      do {
        try body()
        Issue.record("nothing failed")
      } catch { messages.append("\(error) \((error as? StoreError)?.message ?? "")") }
    }
    let other = try SealedPeople.context(store, model)
    _ = try person(other)
    failing { try other.save() }
    let entity = try #require(model.entity(named: "Account"))
    var isFirst = true
    _ = try store.insert(into: entity) { row in
      try row.set("number", .string("SealedIban-7f3a9c51d2"))
      defer { isFirst = false }
      return isFirst
    }
    let accounts = FetchRequest(
      "Account", where: .compare("number", .equal, "SealedIban-7f3a9c51d2"))
    #expect(try store.update(BatchUpdate(accounts, set: ["number": "SealedNote-€-5b8e0c7742"])).count == 2)
    try ada.set("note", "SealedIban-7f3a9c51d2")
    try context.save()
    failing {
      _ = try context.fetch(FetchRequest("Person", where: .compare("iban", .less, "SealedIban-7f3a9c51d2")))
    }
    // Statements that the server refuses, with their parameters and rows in the log.
    try server.execute("ALTER TABLE strongroom.\"Account\" RENAME COLUMN number TO broken")
    failing { _ = try store.fetchNodes(accounts, lookup: nil) }
    try server.execute("ALTER TABLE strongroom.\"Account\" RENAME COLUMN broken TO number")
    try server.execute("ALTER TABLE strongroom.\"Account\" ADD CHECK (length(number) < 10) NOT VALID")
    let broken = try SealedPeople.context(store, model)
    try broken.insert("Account").set("number", "SealedIban-7f3a9c51d2")
    failing { try broken.save() }
    let last = try SealedPeople.context(store, model)
    for name in ["Account", "Person"] {
      for object in try last.fetch(FetchRequest(name)) { try last.delete(object) }
    }
    try last.save()
    _ = try person(last)
    try last.save()
    return messages
  }
}
