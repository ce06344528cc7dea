import Foundation
import Strongroom
import Testing

@Suite("Values that reach over several pages")
struct DamagedValueTests {
  private static func text(_ number: Int) -> String { String(repeating: "text \(number) ", count: 1500) }

  /// Reads every note in several ways.
  /// - Returns: How many ways found damage.
  private func read(_ container: PersistentContainer, _ ids: [ManagedObjectID]) throws -> Int {
    var found = 0
    func look(_ body: () throws -> Bool) throws {
      do {
        #expect(try body(), "damage was read as if it were a value")
      } catch let error as StoreError {
        #expect(error.code == .fileDamaged)
        found += 1
      }
    }
    for (number, id) in ids.enumerated() {
      try look {
        let context = container.newContext()
        return try context.object(with: id).get("text", as: String.self) == Self.text(number)
      }
      try look {
        let reader = try container.newContext().openValue(of: id, "data")
        defer { reader?.close() }
        var data = Data()
        while let piece = try reader?.read(upToCount: 5000) { data += piece }
        return data == Data(Self.text(number).utf8)
      }
      try look {
        let request = FetchRequest("Note", where: try FetchPredicate("text == %@", Self.text(number)))
        return try container.newContext().count(for: request) == 1
      }
    }
    try look {
      let context = container.newContext()
      let notes = try context.fetch(FetchRequest("Note", sort: [FetchSort("number")]))
      return try notes.map { try $0.get("text", as: String.self) } == ids.indices.map { Self.text($0) }
    }
    return found
  }

  @Test("a damaged page of one is noticed wherever it lies, in whatever way the value is read")
  func everyPage() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("damage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("notes")
    let description = PersistentStoreDescription(url: file, vault: InMemoryVault())
    let model = try ManagedObjectModel {
      EntityDescription("Note") {
        AttributeDescription("number", .integer64)
        AttributeDescription("text", .string)
        AttributeDescription("data", .binary)
      }
    }
    let container = PersistentContainer(model: model, description: description)
    try await container.load()
    let context = container.newContext()
    let notes = try (0..<5).map { number in
      let note = try context.insert("Note")
      try note.set("number", number)
      try note.set("text", Self.text(number))
      try note.set("data", Data(Self.text(number).utf8))
      return note
    }
    try context.save()
    let ids = notes.map(\.objectID)
    try container.close()
    let whole = try Data(contentsOf: file)
    #expect(try await container.load(thenClosing: { try read(container, ids) }) == 0)
    var noticed = 0
    // What comes before is read when the store is opened.
    for page in whole.count / 4096 - 20..<whole.count / 4096 {
      var damaged = whole
      damaged[page * 4096 + 100] ^= 1
      try damaged.write(to: file)
      if try await container.load(thenClosing: { try read(container, ids) }) > 0 { noticed += 1 }
    }
    #expect(noticed == 20)
  }
}

extension PersistentContainer {
  fileprivate func load<R>(thenClosing body: () throws -> R) async throws -> R {
    try await load()
    defer { try? close() }
    return try body()
  }
}
