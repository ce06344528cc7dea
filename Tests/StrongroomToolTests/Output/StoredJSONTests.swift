import BuiltProgram
import Foundation
import Strongroom
import Testing

@Suite("Codable values on the command line")
struct StoredJSONTests {
  @Test("JSON is shown as it is, and bytes that are none in base 64")
  func query() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("json-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let model = try ManagedObjectModel {
      Entity("Book") {
        Attribute("tags", .transformable)
        Attribute("cover", .binary)
      }
    }
    let (store, keys) = (folder.appendingPathComponent("s"), folder.appendingPathComponent("keys"))
    let container = PersistentContainer(
      name: "s", managedObjectModel: model, url: store, vault: KeyFileVault(url: keys))
    try await container.loadPersistentStores()
    let context = container.newContext()
    for data in [Data("[\"a/b\",1]".utf8), Data([0xFF, 0])] {
      let book = try context.insert("Book")
      try book.setValue(.data(data), forKey: "tags")
      try book.setValue(.data(Data("[1]".utf8)), forKey: "cover")
    }
    try context.save()
    try container.close()
    let (code, output) = try BuiltProgram.run([
      "query", store.path, "Book", "--vault", "file:\(keys.path)", "--format", "csv",
    ])
    #expect(code == 0)
    #expect(output == "tags,cover\n\"[\"\"a/b\"\",1]\",WzFd\n/wA=,WzFd\n", "\(output)")
  }
}
