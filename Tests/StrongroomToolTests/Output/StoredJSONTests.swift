import BuiltProgram
import Foundation
import Strongroom
import Testing

@Suite("Codable values on the command line")
struct StoredJSONTests {
  @Test("JSON is shown as it is, bytes that are none in base 64, and composites as objects")
  func values() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("json-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let book = Entity("Book") {
      Attribute("tags", .transformable)
      Attribute("cover", .binary)
      Attribute("place", .composite, composite: "Place")
    }
    let place = Composite("Place", [Attribute("shelf", .integer16)])
    let model = try ManagedObjectModel(ModelDeclaration(entities: [book], composites: [place]))
    let (store, keys) = (folder.appendingPathComponent("s"), folder.appendingPathComponent("keys"))
    let container = PersistentContainer(
      name: "s", managedObjectModel: model, url: store, vault: KeyFileVault(url: keys))
    try await container.loadPersistentStores()
    let context = container.newContext()
    for (shelf, data) in [Data("[\"a/b\",\n1]".utf8), Data([0xFF, 0])].enumerated() {
      let book = try context.insert("Book")
      try book.setValue(.data(data), forKey: "tags")
      try book.setValue(.data(Data("[1]".utf8)), forKey: "cover")
      try book.setValue(.composite(["shelf": .integer(Int64(shelf))]), forKey: "place")
    }
    try context.save()
    try container.close()
    let vault = ["--vault", "file:\(keys.path)"]
    let (code, output) = try BuiltProgram.run(["query", store.path, "Book", "--format", "csv"] + vault)
    #expect(code == 0)
    #expect(
      output == "tags,cover,place\n\"[\"\"a/b\"\", 1]\",WzFd,shelf=0\n/wA=,WzFd,shelf=1\n", "\(output)")
    let queried = try BuiltProgram.run(["query", store.path, "Book", "--format", "json"] + vault)
    let out = folder.appendingPathComponent("out").path
    #expect(try BuiltProgram.run(["export", store.path, out, "--yes"] + vault).code == 0)
    let exported = try String(contentsOfFile: out + "/Book.json", encoding: .utf8)
    let rows = [
      "\"cover\":\"WzFd\",\"place\":{\"shelf\":0},\"tags\":[\"a/b\", 1]}",
      "\"cover\":\"WzFd\",\"place\":{\"shelf\":1},\"tags\":\"/wA=\"}",
    ]
    #expect(queried.output == "[\n{" + rows.joined(separator: ",\n{") + "\n]\n", "\(queried.output)")
    #expect(exported == zip(1..., rows).map { "{\"_id\":\($0),\($1)\n" }.joined(), "\(exported)")
  }
}
