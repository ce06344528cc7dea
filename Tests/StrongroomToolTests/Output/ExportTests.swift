import BuiltProgram
import Foundation
import Strongroom
import Testing

@Suite("Export")
struct ExportTests {
  @Test("writes every object of a store, without its model's file")
  func export() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("export-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let model = try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string)
        Attribute("price", .decimal)
        Attribute("read", .boolean)
        Relationship("author", to: "Author", inverse: "books")
        Relationship("tags", toMany: "Tag", ordered: true)
      }
      Entity("Author") { Relationship("books", toMany: "Book", inverse: "author") }
      Entity("Tag") { Attribute("name", .string) }
    }
    let keys = folder.appendingPathComponent("keys").path
    let store = folder.appendingPathComponent("s").path
    let container = PersistentContainer(
      name: "s", managedObjectModel: model, url: URL(fileURLWithPath: store),
      vault: KeyFileVault(url: URL(fileURLWithPath: keys)))
    try await container.loadPersistentStores()
    let context = container.newContext()
    let author = try context.insert("Author")
    let tags = try ["b", "a"].map { name in
      let tag = try context.insert("Tag")
      try tag.set("name", name)
      return tag
    }
    for index in 0..<2500 {
      let book = try context.insert("Book")
      try book.set("title", index == 0 ? "a \"quoted\",\nline" : "Book \(index)")
      try book.set("price", Decimal(string: "0.1"))
      try book.set("read", index % 2 == 0)
      if index < 2 { try book.setObject(author, forKey: "author") }
      if index == 1 { for tag in tags.reversed() { try book.add(tag, to: "tags") } }
    }
    try context.save()
    let (first, second) = (tags[0].objectID.reference, tags[1].objectID.reference)
    try container.close()

    let out = folder.appendingPathComponent("out").path
    let refused = try BuiltProgram.run(["export", store, out, "--vault", "file:\(keys)"])
    #expect(refused.code != 0 && !FileManager.default.fileExists(atPath: out))
    let result = try BuiltProgram.run(["export", store, out, "--vault", "file:\(keys)", "--yes"])
    #expect(result.code == 0, "\(result.output)")
    #expect(result.output.contains("objects 2503"))
    let lines = try String(contentsOfFile: out + "/Book.json", encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 2500)
    #expect(
      lines[1]
        == "{\"_id\":2,\"author\":1,\"price\":0.1,\"read\":false,"
        + "\"tags\":[\(second),\(first)],\"title\":\"Book 1\"}"
    )
    #expect(
      lines[2]
        == "{\"_id\":3,\"author\":null,\"price\":0.1,\"read\":true,\"tags\":[],\"title\":\"Book 2\"}")
    #expect(
      try String(contentsOfFile: out + "/Author.json", encoding: .utf8) == "{\"_id\":1,\"books\":[1,2]}\n")
    #expect(try ManagedObjectModel.load(contentsOf: URL(fileURLWithPath: out + "/model.json")).model == model)
    #expect(try BuiltProgram.run(["export", store, out, "--vault", "file:\(keys)", "--yes"]).code != 0)

    let refusedFormat = try BuiltProgram.run([
      "export", "--apple", "--format", "csv", store, out + "3", "--yes",
    ])
    #expect(refusedFormat.code == 64 && !FileManager.default.fileExists(atPath: out + "3"))
    let csv = try BuiltProgram.run([
      "export", store, out + "2", "--vault", "file:\(keys)", "--yes", "--format", "csv",
    ])
    #expect(csv.code == 0)
    let text = try String(contentsOfFile: out + "2/Book.csv", encoding: .utf8)
    #expect(
      text.hasPrefix("_id,title,price,read,author,tags\r\n1,\"a \"\"quoted\"\",\nline\",0.1,true,1,\r\n"))
    #expect(text.contains("\r\n2,Book 1,0.1,false,1,\(second) \(first)\r\n"))
    let mode = try FileManager.default.attributesOfItem(atPath: out + "2/Book.csv")[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("names that a row number or a file cannot have lose nothing")
  func names() async throws {
    let shelf = try await Shelf()
    let long = "Book" + String(repeating: "x", count: 296)
    var declaration = try Shelf.model().declaration
    declaration.entities[0].attributes.append(Attribute("_id", .string, default: .string("own")))
    declaration.entities.append(Entity(long) { Attribute("a b", .string) })
    declaration.entities.append(Entity(long + "y") { Attribute("a (b", .string) })
    let model = try ManagedObjectModel(declaration)
    let container = PersistentContainer(managedObjectModel: model, description: shelf.description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    for entity in [long, long + "y"] { _ = try context.insert(entity) }
    try context.save()
    try container.close()
    let out = shelf.file("out")
    let exported = try shelf.run("export", options: [out, "--yes"])
    #expect(exported.code == 0, "\(exported)")
    #expect(
      try String(contentsOfFile: out + "/Book.json", encoding: .utf8).hasPrefix(
        "{\"__id\":1,\"_id\":\"own\","))
    #expect(try FileManager.default.contentsOfDirectory(atPath: out).count == 5)
    let queried = try shelf.run("query", options: [long + "y", "--format", "csv"])
    #expect(queried.code == 0 && queried.output == "a (b\n\n", "\(queried)")
  }
}
