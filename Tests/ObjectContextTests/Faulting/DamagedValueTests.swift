import Foundation
import Strongroom
import Testing

@Suite("Values that reach over several pages")
struct DamagedValueTests {
  private static func text(_ number: Int) -> String { String(repeating: "text \(number) ", count: 1500) }

  /// A store of some notes, closed, and its bytes.
  private struct Place {
    let container: PersistentContainer
    let ids: [ManagedObjectID]
    private let file: URL
    private let whole: Data

    init() async throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "damage-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      file = folder.appendingPathComponent("notes")
      let model = try ManagedObjectModel {
        Entity("Note") {
          Attribute("number", .integer64)
          Attribute("text", .string)
          Attribute("data", .binary)
        }
      }
      container = PersistentContainer(
        managedObjectModel: model, description: PersistentStoreDescription(url: file, vault: InMemoryVault()))
      try await container.loadPersistentStores()
      let context = container.newContext()
      let notes = try (0..<5).map { number in
        let note = try context.insert("Note")
        try note.set("number", number)
        try note.set("text", DamagedValueTests.text(number))
        try note.set("data", Data(DamagedValueTests.text(number).utf8))
        return note
      }
      try context.save()
      ids = notes.map(\.objectID)
      try container.close()
      whole = try Data(contentsOf: file)
    }

    func remove() { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }

    /// What comes before is read when the store is opened.
    var lastPages: Range<Int> { whole.count / 4096 - 20..<whole.count / 4096 }

    /// Makes the file what it was but for one page.
    func damage(_ page: Int) throws {
      var damaged = whole
      damaged[page * 4096 + 100] ^= 1
      try damaged.write(to: file)
    }
  }

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
        let request = FetchRequest("Note", where: try FetchPredicate(format: "text == %@", Self.text(number)))
        return try container.newContext().count(for: request) == 1
      }
    }
    try look {
      let context = container.newContext()
      let notes = try context.fetch(FetchRequest("Note", sortDescriptors: [FetchSortDescriptor("number")]))
      return try notes.map { try $0.get("text", as: String.self) } == ids.indices.map { Self.text($0) }
    }
    return found
  }

  private static let writes: [(String, @Sendable (ManagedObjectContext, [ManagedObjectID]) throws -> Void)] =
    [
      (
        "a batch update",
        { context, _ in _ = try context.batchUpdate(FetchRequest("Note"), set: ["number": .integer(7)])
        }
      ),
      ("a batch deletion", { context, _ in _ = try context.batchDelete(FetchRequest("Note")) }),
      (
        "saving another property",
        { context, ids in
          for id in ids { try context.object(with: id).set("number", 7) }
          try context.save()
        }
      ),
      (
        "saving deletions",
        { context, ids in
          for id in ids { try context.delete(context.object(with: id)) }
          try context.save()
        }
      ),
    ]

  @Test("writing beside a damaged page makes no value of it", arguments: writes.indices)
  func writing(_ number: Int) async throws {
    let place = try await Place()
    defer { place.remove() }
    let (name, write) = Self.writes[number]
    var (refused, done) = (0, 0)
    for page in place.lastPages {
      try place.damage(page)
      let container = place.container
      try await container.loadPersistentStores()
      do {
        try write(container.newContext(), place.ids)
        done += 1
        for (number, id) in place.ids.enumerated() {
          guard let text = try? container.newContext().existingObject(with: id).get("text", as: String.self)
          else {
            continue
          }
          #expect(text == Self.text(number), "\(name) over page \(page) made a value of damage")
        }
      } catch let error as StoreError {
        #expect(error.code == .fileDamaged, "\(name) over page \(page): \(error)")
        refused += 1
      }
      try? container.close()
    }
    #expect(refused > 0 && refused + done == place.lastPages.count)
  }

  @Test("a damaged page of one is noticed wherever it lies, in whatever way the value is read")
  func everyPage() async throws {
    let place = try await Place()
    defer { place.remove() }
    let (container, ids) = (place.container, place.ids)
    #expect(try await container.load(thenClosing: { try read(container, ids) }) == 0)
    var noticed = 0
    for page in place.lastPages {
      try place.damage(page)
      if try await container.load(thenClosing: { try read(container, ids) }) > 0 { noticed += 1 }
    }
    #expect(noticed == 20)
  }
}

extension PersistentContainer {
  fileprivate func load<R>(thenClosing body: () throws -> R) async throws -> R {
    try await loadPersistentStores()
    defer { try? close() }
    return try body()
  }
}
