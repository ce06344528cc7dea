import BuiltProgram
import Foundation
import Strongroom

/// A folder with a store of books, opened by a file of keys, for tests of the tool.
final class Shelf: Sendable {
  let folder: URL
  var store: String { file("s") }
  var vault: [String] { ["--vault", "file:\(file("keys"))"] }

  static func model(sealing: AttributeSealing? = nil) throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string, sealing: sealing)
        Attribute("pages", .integer64)
        Attribute("price", .decimal)
        Attribute("weight", .double)
        Attribute("read", .boolean)
        Attribute("bought", .date)
        Relationship("author", to: "Author", inverse: "books")
      }
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
      }
    }
  }

  var description: PersistentStoreDescription {
    PersistentStoreDescription(
      url: URL(fileURLWithPath: store), vault: KeyFileVault(url: URL(fileURLWithPath: file("keys"))))
  }

  init(
    books: Int = 2, sealing: AttributeSealing? = nil,
    _ description: (PersistentStoreDescription) -> PersistentStoreDescription = { $0 }
  ) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("shelf-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let container = PersistentContainer(
      managedObjectModel: try Self.model(sealing: sealing), description: description(self.description))
    try await container.loadPersistentStores()
    let context = container.newContext()
    let author = try context.insert("Author")
    try author.set("name", "Ada")
    for number in 0..<books {
      let book = try context.insert("Book")
      try book.set("title", "Book \(number)")
      try book.set("pages", 100 + number)
      try book.set("read", number % 2 == 0)
      if number > 0 { continue }
      try book.set("price", Decimal(string: "12.50"))
      try book.set("weight", 0.25)
      try book.setObject(author, forKey: "author")
    }
    try context.save()
    try container.close()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func file(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// The names in the folder.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
  }

  /// Runs a command of the tool on the store, with its key.
  func run(_ command: String..., options: [String] = []) throws -> (code: Int32, output: String) {
    try BuiltProgram.run(command + [store] + options + vault)
  }

  static func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }
}
