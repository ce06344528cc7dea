import AppleModel
import AppleStore
import CipherDatabase
import Foundation
import Strongroom
import Testing

@Suite("What is no store of Core Data's")
struct AppleStoreTests {
  private func code(_ url: URL, models: [ManagedObjectModel] = []) -> AppleStoreError.Code? {
    do {
      _ = try AppleStore(url: url, models: models)
      return nil
    } catch {
      return (error as? AppleStoreError)?.code
    }
  }

  @Test("is refused by what it is")
  func refused() async throws {
    let place = try Place()
    #expect(code(place.file("missing")) == .fileMissing)
    #expect(code(place.folder) == .notADatabase)
    try Data().write(to: place.file("empty"))
    #expect(code(place.file("empty")) == .fileEmpty)
    try Data(repeating: 7, count: 8192).write(to: place.file("noise"))
    #expect(code(place.file("noise")) == .notADatabase)
    let plain = try PlainDatabaseWriter(path: place.file("plain").path)
    try plain.execute("CREATE TABLE a (b)")
    try plain.finish()
    #expect(code(place.file("plain")) == .notAStore)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path).count == 3)
  }

  @Test("is refused where its model is missing, or another is given")
  func model() async throws {
    let place = try Place()
    let source = try AppleStore(url: place.copy("made"))
    let other = try ManagedObjectModel { Entity("Account") { Attribute("name", .integer16) } }
    #expect(code(source.url, models: [other]) == .wrongModel)
    #expect(code(source.url, models: [other, source.model]) == nil)

    let old = place.file("old.sqlite")
    let plain = try PlainDatabaseWriter(path: old.path)
    try plain.execute(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 1);
      INSERT INTO ZNOTE VALUES (1, 1, 3, 'kept');
      """)
    let list = try PropertyListSerialization.data(fromPropertyList: ["a": "b"], format: .binary, options: 0)
    try plain.run("INSERT INTO Z_METADATA VALUES (1, 'U', ?)") { parameters in
      list.withUnsafeBytes { parameters.bind(1, blob: $0, copy: true) }
    }
    try plain.finish()
    #expect(code(old) == .noModel)
    let model = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
    let later = try ManagedObjectModel {
      Entity("Note") {
        Attribute("text", .string)
        Attribute("more", .string)
      }
    }
    #expect(code(old, models: [later]) == .wrongModel, "it would lack values without an error")
    let summary = try await AppleStore(url: old, models: [model, later]).importStore(into: place.description)
    #expect(summary.objects == ["Note": 1] && summary.faultCount == 0)
    let container = try await place.open()
    #expect(try container.newContext().fetch(FetchRequest("Note")).first?.get("text") == "kept")
    try container.close()
  }

  @Test("is refused where the model in it is of another store, and read with its own")
  func otherModel() throws {
    let place = try Place()
    let own = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
    let other = try ManagedObjectModel { Entity("Account") { Attribute("name", .string) } }
    let file = place.file("other.sqlite")
    let plain = try PlainDatabaseWriter(path: file.path)
    try plain.execute(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
      CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTEXT VARCHAR);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 1);
      INSERT INTO ZNOTE VALUES (1, 1, 3, 'kept');
      """)
    let list = try PropertyListSerialization.data(fromPropertyList: ["a": "b"], format: .binary, options: 0)
    let cache = try AppleModelWriter(other).modelCache()
    try plain.run("INSERT INTO Z_METADATA VALUES (1, 'U', ?)") { parameters in
      list.withUnsafeBytes { parameters.bind(1, blob: $0, copy: true) }
    }
    try plain.run("INSERT INTO Z_MODELCACHE VALUES (?)") { parameters in
      cache.withUnsafeBytes { parameters.bind(1, blob: $0, copy: true) }
    }
    try plain.finish()
    #expect(code(file) == .wrongModel)
    #expect(try AppleStore(url: file, models: [own]).model.versionHash == own.versionHash)
  }

  @Test("is read with what lies beside it, through a link too, and what is no log is refused")
  func beside() async throws {
    let place = try Place()
    let url = try place.copy("made")
    let links = place.file("links")
    try FileManager.default.createDirectory(at: links, withIntermediateDirectories: true)
    let link = links.appendingPathComponent("link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
    let summary = try await AppleStore(url: link).importStore(into: place.description)
    #expect(summary.objectCount == 40 && summary.faultCount == 0)
    func tellsDamage() throws -> Bool { try AppleStore(url: url).notes.contains { $0.contains("damaged") } }
    #expect(try !tellsDamage())
    let log = URL(fileURLWithPath: url.path + "-wal")
    let whole = try Data(contentsOf: log)
    var turned = whole
    turned[whole.count / 2] ^= 1
    for bytes in [turned, whole.prefix(whole.count / 2)] {
      try bytes.write(to: log)
      #expect(try tellsDamage())
    }
    try Data(repeating: 1, count: 5000).write(to: URL(fileURLWithPath: url.path + "-wal"))
    #expect(code(url) == .fileDamaged)
    try FileManager.default.removeItem(atPath: url.path + "-wal")
    #expect(try AppleStore(url: url).notes.contains { $0.contains("-wal") })
  }

  @Test("and a damaged one leaves no new store")
  func damaged() async throws {
    let place = try Place()
    let url = try place.copy("faulty")
    var bytes = try Data(contentsOf: url)
    for page in 3..<bytes.count / 4096 {
      bytes.replaceSubrange(page * 4096..<page * 4096 + 64, with: Data(repeating: 0xAB, count: 64))
    }
    try bytes.write(to: url)
    await #expect {
      _ = try await AppleStore(url: url).importStore(into: place.description)
    } throws: {
      ($0 as? AppleStoreError)?.code == .fileDamaged
    }
    #expect(!FileManager.default.fileExists(atPath: place.file("new.strongroom").path))
  }
}
