import AppleStore
import CipherDatabase
import Foundation
import Strongroom
import Testing

@Suite("A store that a stranger made")
struct HostileStoreTests {
  @Test("cannot end a quoted name, whatever marks follow the quote")
  func names() {
    let name = "a\"\u{301}; DROP TABLE x; --\""
    let quoted = PlainDatabase.quoted(name)
    #expect(quoted.unicodeScalars.count { $0 == "\"" } == 2 * 2 + 2)
    #expect(quoted.unicodeScalars.first == "\"" && quoted.unicodeScalars.last == "\"")
  }

  @Test("cannot have another file removed by its journal, and leaves no copy of itself")
  func journal() async throws {
    let place = try Place()
    let url = try place.copy("faulty")
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    try Data([UInt8](repeating: 0, count: 600) + magic).write(to: URL(fileURLWithPath: url.path + "-journal"))
    let scratch = place.file("scratch")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    // What a killed import left.
    let left = scratch.appendingPathComponent("strongroom-import-abcdef")
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
    try Data("rows".utf8).write(to: left.appendingPathComponent("copy"))
    #expect {
      try AppleStore(url: url, scratch: scratch)
    } throws: {
      ($0 as? AppleStoreError)?.code == .fileDamaged && "\($0)".contains("several files")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }

  @Test("has odd values reported, and the comparison withstands them")
  func values() async throws {
    let place = try Place()
    let file = place.file("odd.sqlite")
    let plain = try PlainDatabaseWriter(path: file.path)
    try plain.execute(
      """
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZPRICE DECIMAL, ZRATE FLOAT, ZNEXT INTEGER, ZCOUNT, ZDAY);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Item', 0, 700);
      INSERT INTO ZITEM VALUES (1, 1, 1, 9e999, 1.5, 2, x'31', 'soon'),
        (2, 1, 1, '12abc', 1e300, 'x', 1e30, x'ff'),
        (3, 1, 1, 10.11, 0.1, 2.5, '7', '12.5 ');
      """)
    let list = try PropertyListSerialization.data(fromPropertyList: ["a": "b"], format: .binary, options: 0)
    try plain.run("INSERT INTO Z_METADATA VALUES (1, 'U', ?)") { parameters in
      list.withUnsafeBytes { parameters.bind(1, blob: $0, copy: true) }
    }
    try plain.finish()
    let model = try ManagedObjectModel {
      Entity("Item") {
        Attribute("price", .decimal)
        Attribute("rate", .float)
        Attribute("count", .integer64)
        Attribute("day", .date)
        Relationship("next", to: "Item")
      }
    }
    let source = try AppleStore(url: file, models: [model])
    let summary = try await source.importStore(into: place.description)
    #expect(summary.objectCount == 3 && summary.linkCount == 1 && summary.faults == [.value: 11])
    let result = try await source.comparison(with: place.description)
    #expect(result.differences.map(\.description) == [])
    #expect(try await SQLCipherStore.verify(place.description).isEmpty)
    let container = try await place.open()
    let context = container.newContext()
    try context.save()
    let fresh = try context.insert("Item")
    try context.save()
    #expect(fresh.objectID.reference > 700, "numbers that the source gave out are not given out again")
    try container.close()
  }
}
