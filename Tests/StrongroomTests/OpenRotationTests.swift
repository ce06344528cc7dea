import Foundation
import StoreKeyring
import Strongroom
import Synchronization
import Testing

@Suite("The key of a store that is open")
struct OpenRotationTests {
  private final class Place: Sendable {
    let folder: URL
    let vault = InMemoryVault()
    let container: PersistentContainer

    init() async throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("rotation-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let model = try ManagedObjectModel {
        Entity("Note") {
          Attribute("text", .string)
          Attribute("number", .integer64)
        }
      }
      var description = PersistentStoreDescription(url: folder.appendingPathComponent("s"), vault: vault)
      description.busyTimeoutMilliseconds = 500
      container = PersistentContainer(managedObjectModel: model, description: description)
      try await container.loadPersistentStores()
    }

    deinit {
      try? container.close()
      try? FileManager.default.removeItem(at: folder)
    }

    var description: PersistentStoreDescription { container.persistentStoreDescriptions[0] }

    var store: SQLCipherStore {
      get throws {
        try #require(container.persistentStoreCoordinator.persistentStores.first as? SQLCipherStore)
      }
    }

    func keys() async throws -> [StoredKey] {
      try await vault.keys(for: try store.identifier, interaction: .silent)
    }

    func fill(_ count: Int) throws -> [ManagedObjectID] {
      let context = container.newContext()
      let notes = try (0..<count).map { number in
        let note = try context.insert("Note")
        try note.set("text", "note \(number)")
        try note.set("number", number)
        return note
      }
      try context.save()
      return notes.map(\.objectID)
    }
  }

  private final class Counts: Sendable {
    let saved = Atomic<Int>(0)
    let read = Atomic<Int>(0)
    let isDone = Atomic<Bool>(false)
    var isRunning: Bool { !isDone.load(ordering: .relaxed) }
  }

  @Test("changes under contexts, whose objects, faults and unsaved changes live on")
  func contexts() async throws {
    let place = try await Place()
    let ids = try place.fill(500)
    let context = place.container.newContext()
    let notes = try context.fetch(FetchRequest("Note", sortDescriptors: [FetchSortDescriptor("number")]))
    #expect(try notes[0].get("text", as: String.self) == "note 0")
    try notes[1].set("text", "changed")
    let old = try await place.keys()
    let result = try await place.store.rotateKey()
    #expect(result.retired == 1 && result.vaultsWithOldKeys.isEmpty)
    let new = try await place.keys()
    #expect(new.count == 1 && !new[0].key.isSame(as: old[0].key))
    #expect(result.recoveryCode.key.isSame(as: new[0].key))
    for object in notes { try context.refresh(object, mergeChanges: true) }
    #expect(try notes[499].get("text", as: String.self) == "note 499")
    #expect(try notes[1].get("text", as: String.self) == "changed")
    try context.save()
    let other = place.container.newContext()
    #expect(try other.existingObject(with: ids[1]).get("text", as: String.self) == "changed")
    #expect(try other.count(for: FetchRequest("Note")) == 500)
    // Again, then anew with what the vault holds, and not with the first key.
    _ = try await place.store.rotateKey()
    try place.container.close()
    try await place.container.loadPersistentStores()
    #expect(try place.container.newContext().count(for: FetchRequest("Note")) == 500)
    try place.container.close()
    var with = place.description
    with.storeKey = old[0].key
    let refused = PersistentContainer(
      managedObjectModel: place.container.managedObjectModel, description: with)
    await #expect { try await refused.loadPersistentStores() } throws: {
      ($0 as? StoreError)?.code == .wrongKey
    }
  }

  @Test("changes while other threads read, pin and save, none of which fails or is lost")
  func meanwhile() async throws {
    let place = try await Place()
    _ = try place.fill(2000)
    let counts = Counts()
    let container = place.container
    try await withThrowingTaskGroup { group in
      for worker in 0..<4 {
        group.addTask {
          while counts.isRunning {
            let context = container.newContext()
            if worker < 2 {
              try context.insert("Note").set("text", "more")
              try context.save()
              counts.saved.add(1, ordering: .relaxed)
            } else {
              _ = try context.fetch(FetchRequest("Note", fetchLimit: 300)).map {
                try $0.get("text", as: String.self)
              }
              counts.read.add(1, ordering: .relaxed)
            }
            await Task.yield()
          }
        }
      }
      group.addTask {
        defer { counts.isDone.store(true, ordering: .relaxed) }
        for _ in 0..<10 { _ = try await container.rotateOpenStore() }
      }
      try await group.waitForAll()
    }
    let count = try container.newContext().count(for: FetchRequest("Note"))
    #expect(count == 2000 + counts.saved.load(ordering: .relaxed))
    #expect(counts.saved.load(ordering: .relaxed) > 0 && counts.read.load(ordering: .relaxed) > 0)
    #expect(try await place.keys().count == 1)
  }

  @Test("stays where a context is pinned, or somebody else has the store, and all goes on under the old one")
  func refused() async throws {
    let place = try await Place()
    let ids = try place.fill(10)
    let old = try await place.keys()
    let pinned = place.container.newContext()
    try pinned.setQueryGenerationFrom(.current)
    func refuses(_ code: StoreError.Code) async throws {
      await #expect { _ = try await place.container.rotateOpenStore() } throws: {
        ($0 as? StoreError)?.code == code
      }
      let now = try await place.keys()
      #expect(now.count == 1 && now[0].key.isSame(as: old[0].key))
      let context = place.container.newContext()
      let note = try context.existingObject(with: ids[0])
      try note.set("number", Int.random(in: 0...1_000_000))
      try context.save()
    }
    try await refuses(.busy)
    #expect(try pinned.count(for: FetchRequest("Note")) == 10)
    try pinned.setQueryGenerationFrom(nil)
    let other = PersistentContainer(
      managedObjectModel: place.container.managedObjectModel, description: place.description)
    try await other.loadPersistentStores()
    try await refuses(.busy)
    try other.close()
    _ = try await place.container.rotateOpenStore()
    #expect(try await !place.keys()[0].key.isSame(as: old[0].key))
  }

  @Test("refuses who reads, saves or pins while it tells how far it is, which could never end")
  func nested() async throws {
    let place = try await Place()
    _ = try place.fill(60_000)
    let refused = Atomic<Int>(0)
    let container = place.container
    _ = try await place.store.rotateKey { _ in
      let context = container.newContext()
      do {
        _ = try context.count(for: FetchRequest("Note"))
      } catch {
        refused.add(1, ordering: .relaxed)
      }
      do {
        try context.setQueryGenerationFrom(.current)
      } catch {
        refused.add(1, ordering: .relaxed)
      }
    }
    #expect(refused.load(ordering: .relaxed) > 1)
    #expect(try container.newContext().count(for: FetchRequest("Note")) == 60_000)
  }

  @Test("waits for a reader who is amid its rows")
  func reader() async throws {
    let place = try await Place()
    _ = try place.fill(10)
    let store = try place.store
    let container = place.container
    let inside = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      var isFirst = true
      try? container.newContext().enumerateRows(FetchRequest("Note")) { _ in
        if isFirst {
          inside.signal()
          usleep(200_000)
        }
        isFirst = false
        return true
      }
      ended.signal()
    }
    inside.wait()
    _ = try await store.rotateKey()
    ended.wait()
    #expect(try container.newContext().count(for: FetchRequest("Note")) == 10)
  }

  @Test("stays where the path names another file by now, and where the store is open for reading only")
  func otherFile() async throws {
    let place = try await Place()
    _ = try place.fill(10)
    try place.container.close()
    let files = FileManager.default
    let (one, two, link) = (
      place.folder.appendingPathComponent("1"), place.folder.appendingPathComponent("2"),
      place.folder.appendingPathComponent("link")
    )
    for folder in [one, two] {
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
      try files.copyItem(at: place.folder.appendingPathComponent("s"), to: folder.appendingPathComponent("s"))
    }
    try files.createSymbolicLink(atPath: link.path, withDestinationPath: "1")
    var description = place.description
    description.url = link.appendingPathComponent("s")
    let container = PersistentContainer(
      managedObjectModel: place.container.managedObjectModel, description: description)
    try await container.loadPersistentStores()
    try files.removeItem(at: link)
    try files.createSymbolicLink(atPath: link.path, withDestinationPath: "2")
    await #expect { _ = try await container.rotateOpenStore() } throws: {
      ($0 as? StoreError)?.code == .fileReplaced
    }
    try container.close()
    description.url = one.appendingPathComponent("s")
    description.isReadOnly = true
    let reading = PersistentContainer(
      managedObjectModel: place.container.managedObjectModel, description: description)
    try await reading.loadPersistentStores()
    let bytes = try Data(contentsOf: one.appendingPathComponent("s"))
    await #expect { _ = try await reading.rotateOpenStore() } throws: {
      ($0 as? StoreError)?.code == .readOnly
    }
    #expect(try reading.newContext().count(for: FetchRequest("Note")) == 10)
    try reading.close()
    #expect(try Data(contentsOf: one.appendingPathComponent("s")) == bytes)
  }
}

extension PersistentContainer {
  fileprivate func rotateOpenStore() async throws -> KeyRotation {
    let store = try #require(persistentStoreCoordinator.persistentStores.first as? SQLCipherStore)
    return try await store.rotateKey()
  }
}
