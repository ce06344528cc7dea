import Foundation
import Glibc
import Strongroom
import Testing

/// What `ContextCheck.values` and `StoreCheck.pieces` cannot ask of every store: statements,
/// memory, files.
@Suite("Values in pieces")
struct ValuePiecesTests {
  private static func model(isDated: Bool = true) throws -> ManagedObjectModel {
    func external(_ name: String) -> Attribute {
      var attribute = Attribute(name, .binary)
      attribute.allowsExternalBinaryDataStorage = true
      return attribute
    }
    var changed = Attribute("changed", .date)
    changed.derivationExpression = "now()"
    return try ManagedObjectModel {
      Entity("Film") {
        external("data")
        Attribute("title", .string)
        Attribute("plain", .binary)
        external("trailer")
        if isDated { changed }
      }
    }
  }

  /// A shelf with one saved film.
  private static func film(
    isDated: Bool = true
  ) async throws -> (Shelf, ManagedObjectContext, ManagedObjectID) {
    let shelf = try await Shelf(model(isDated: isDated))
    let context = shelf.container.newContext()
    let film = try context.insert("Film")
    try film.set("title", "Metropolis")
    try context.save()
    return (shelf, context, film.objectID)
  }

  /// Writes a value whose pieces tell where they stand.
  private static func write(
    _ count: Int, _ context: ManagedObjectContext, _ id: ManagedObjectID, _ key: String = "data"
  ) throws {
    var piece = Data(count: 256 << 10)
    try context.writeValue(count: count, to: id, key) { writer in
      while writer.offset < count {
        piece[0] = UInt8(truncatingIfNeeded: writer.offset >> 18)
        try writer.write(contentsOf: piece.prefix(count - writer.offset))
      }
    }
  }

  /// Whether a value is what `write` writes.
  private static func isWhole(
    _ count: Int, _ context: ManagedObjectContext, _ id: ManagedObjectID, _ key: String = "data"
  ) throws -> Bool {
    guard let reader = try context.openValue(of: id, key), reader.count == count else { return false }
    defer { reader.close() }
    while reader.offset < count {
      let number = UInt8(truncatingIfNeeded: reader.offset >> 18)
      guard let piece = try reader.read(upToCount: 256 << 10), piece.first == number else { return false }
    }
    return true
  }

  @Test("writing takes four statements in a transaction and reading one, whatever the length")
  func statements() async throws {
    let (shelf, context, id) = try await Self.film()
    try Self.write(1, context, id)
    for count in [0, 1, 20_000, 3 << 20] {
      var before = try shelf.statements
      try Self.write(count, context, id)
      #expect(try shelf.statements - before == 8, "\(count): with BEGIN, the history's two and COMMIT")
      before = try shelf.statements
      #expect(try Self.isWhole(count, context, id))
      #expect(try shelf.statements == before, "a connection of its own")
    }
    let film = try context.existingObject(with: id)
    try film.set("title", "Nosferatu")
    let before = try shelf.statements
    try Self.write(1, context, id)
    #expect(try shelf.statements - before == 9, "and the row beneath the change")
  }

  @Test("writing and reading 64 MB takes less than 16 MB of memory", .timeLimit(.minutes(30)))
  func memory() async throws {
    // In a process of its own, since other tests' memory counts in this one.
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let (shelf, context, id) = try await Self.film()
      let film = try context.existingObject(with: id)
      for _ in 0..<2 {
        try Self.write(1 << 20, context, id)
        #expect(try Self.isWhole(1 << 20, context, id))
      }
      try film.set("title", "unsaved")
      var peaks = [try Self.peakBytes()]
      try Self.write(64 << 20, context, id)
      peaks.append(try Self.peakBytes())
      #expect(try Self.isWhole(64 << 20, context, id))
      peaks.append(try Self.peakBytes())
      try Self.write(64 << 20, context, id)
      peaks.append(try Self.peakBytes())
      try context.save()
      peaks.append(try Self.peakBytes())
      // What is measured grows when a value is held whole.
      try film.set("trailer", Data(count: 64 << 20))
      try context.save()
      peaks.append(try Self.peakBytes())
      print("bytes: " + zip(peaks, peaks.dropFirst()).map { "\($1 - $0)" }.joined(separator: " "))
      withExtendedLifetime(shelf) {}
    }
    let told = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let line = try #require(told.split(separator: "\n").first { $0.hasPrefix("bytes: ") })
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    try #require(numbers.count == 5)
    print("64 MB written, read, written again, the rest saved, and all whole: \(line)")
    #expect(Self.isSanitized || numbers[0...2].reduce(0, +) < 16 << 20)
    #expect(numbers[4] > 64 << 20)
  }

  @Test("saving 64 MB whole takes memory for two more, and saving the same again writes nothing")
  func whole() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let (shelf, context, id) = try await Self.film(isDated: false)
      let film = try context.existingObject(with: id)
      let value = Data(repeating: 7, count: 64 << 20)
      let before = try Self.peakBytes()
      try film.set("data", value)
      try context.save()
      let peak = try Self.peakBytes()
      let statements = try shelf.statements
      let start = clock()
      try film.set("data", value)
      try context.save()
      #expect(try shelf.statements == statements)
      print("bytes: \(peak - before) \((clock() - start) / (CLOCKS_PER_SEC / 1000))")
    }
    let told = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let line = try #require(told.split(separator: "\n").first { $0.hasPrefix("bytes: ") })
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    try #require(numbers.count == 2)
    print("64 MB saved whole, and milliseconds for the same again: \(line)")
    // A node, and the row as SQLite makes it. Four before.
    #expect(Self.isSanitized || numbers[0] < 160 << 20)
    // Comparing byte by byte took two seconds.
    #expect(Self.isSanitized || numbers[1] < 700)
  }

  /// A sanitizer keeps what was freed, and takes its time.
  private static let isSanitized = ProcessInfo.processInfo.environment["SANITIZER"] != nil

  /// The most that the process ever had in memory, by the kernel's count.
  private static func peakBytes() throws -> Int {
    let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
    let peak = lines.first { $0.hasPrefix("VmHWM:") }?.split(separator: " ").dropFirst().first
    return try #require(peak.flatMap { Int($0) }) * 1024
  }

  @Test("values of any attribute and order are what was written", arguments: ["data", "plain", "trailer"])
  func anyColumn(key: String) async throws {
    let (shelf, context, id) = try await Self.film()
    for other in ["data", "plain", "trailer"] { try Self.write(300_000, context, id, other) }
    try Self.write(700_000, context, id, key)
    for other in ["data", "plain", "trailer"] {
      #expect(try Self.isWhole(other == key ? 700_000 : 300_000, context, id, other))
    }
    let film = try context.existingObject(with: id)
    #expect(try film.get("title") == "Metropolis" && film.get(key, as: Data.self)?.count == 700_000)
    withExtendedLifetime(shelf) {}
  }

  @Test("a process that ends in the middle leaves the former value")
  func killed() async throws {
    let (shelf, context, id) = try await Self.film()
    try Self.write(500_000, context, id)
    let copy = shelf.folder.appendingPathComponent("copy")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    try context.writeValue(count: 8 << 20, to: id, "data") { writer in
      for _ in 0..<31 { try writer.write(contentsOf: Data(repeating: 1, count: 256 << 10)) }
      // What another process would find now.
      for name in ["l.strongroom", "l.strongroom-wal"] {
        try FileManager.default.copyItem(
          at: shelf.folder.appendingPathComponent(name), to: copy.appendingPathComponent(name))
      }
      try writer.write(contentsOf: Data(repeating: 1, count: 256 << 10))
    }
    let log = try FileManager.default.attributesOfItem(
      atPath: copy.appendingPathComponent("l.strongroom-wal").path)
    #expect((log[.size] as? Int ?? 0) > 4 << 20, "nothing was written yet")
    let again = PersistentContainer(
      name: "Copy", managedObjectModel: shelf.container.managedObjectModel,
      url: copy.appendingPathComponent("l.strongroom"),
      vault: shelf.vault)
    try await again.loadPersistentStores()
    let other = again.newContext()
    let film = try #require(try other.fetch(FetchRequest("Film")).first)
    #expect(try Self.isWhole(500_000, other, film.objectID))
    #expect(try film.get("data", as: Data.self)?.count == 500_000)
    try again.close()
  }

  @Test("a process that is killed in the middle leaves the former value, and a store that works")
  func killedByTheSystem() async throws {
    let folder = Self.folder(of: getpid())
    defer { try? FileManager.default.removeItem(at: folder) }
    await #expect(processExitsWith: .signal(SIGKILL)) {
      let container = try await Self.container(Self.folder(of: getppid()))
      let context = container.newContext()
      let id = try context.insert("Film").objectID
      try context.save()
      let film = try #require(try context.fetch(FetchRequest("Film")).first)
      #expect(id != film.objectID)
      try Self.write(500_000, context, film.objectID)
      try context.writeValue(count: 16 << 20, to: film.objectID, "data") { writer in
        try writer.write(contentsOf: Data(count: 12 << 20))
        kill(getpid(), SIGKILL)
      }
    }
    let container = try await Self.container(folder)
    let context = container.newContext()
    let film = try #require(try context.fetch(FetchRequest("Film")).first)
    #expect(try Self.isWhole(500_000, context, film.objectID))
    try Self.write(600_000, context, film.objectID)
    #expect(try Self.isWhole(600_000, context, film.objectID))
    try container.close()
  }

  /// A folder that a process and its child both know.
  private static func folder(of process: pid_t) -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("killed-\(process)")
  }

  private static func container(_ folder: URL) async throws -> PersistentContainer {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let container = PersistentContainer(
      managedObjectModel: try model(),
      description: PersistentStoreDescription(
        url: folder.appendingPathComponent("l.strongroom"),
        vault: KeyFileVault(url: folder.appendingPathComponent("keys"))))
    try await container.loadPersistentStores()
    return container
  }

  @Test("an open reader keeps work that wants the file alone away, and reads on when its store is closed")
  func wholeFile() async throws {
    let (shelf, context, id) = try await Self.film()
    try Self.write(600_000, context, id)
    let reader = try #require(try context.openValue(of: id, "data"))
    try shelf.container.close()
    var description = PersistentStoreDescription(
      url: shelf.folder.appendingPathComponent("l.strongroom"), vault: shelf.vault)
    description.busyTimeoutMilliseconds = 100
    let store = description
    await #expect { try await SQLCipherStore.compact(store) } throws: { ($0 as? StoreError)?.code == .busy }
    await #expect { try await SQLCipherStore.rotateKey(of: store) } throws: {
      ($0 as? StoreError)?.code == .busy
    }
    #expect(try reader.read(upToCount: .max)?.count == 600_000)
    reader.close()
    _ = try await SQLCipherStore.compact(store)
    _ = try await SQLCipherStore.rotateKey(of: store)
  }

  @Test("readers work beside each other on other threads, and one without an owner is closed")
  func threads() async throws {
    let (shelf, context, id) = try await Self.film()
    try Self.write(1 << 20, context, id)
    try context.setQueryGenerationFrom(.current)
    var readers: [ValueReader] = []
    for _ in 0..<4 { readers.append(try #require(try context.openValue(of: id, "data"))) }
    let lengths = try await withThrowingTaskGroup(of: Int.self) { group in
      for reader in readers {
        group.addTask {
          var length = 0
          while let piece = try reader.read(upToCount: 10_000) { length += piece.count }
          return length
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(lengths == Array(repeating: 1 << 20, count: 4))
    try context.setQueryGenerationFrom(nil)
    try readers[0].seek(toOffset: 0)
    #expect(
      try readers[0].read(upToCount: .max)?.count == 1 << 20, "a query generation that no other context has")
    readers = []
    _ = try context.openValue(of: id, "data")
    try shelf.container.close()
    let store = PersistentStoreDescription(
      url: shelf.folder.appendingPathComponent("l.strongroom"), vault: shelf.vault)
    _ = try await SQLCipherStore.compact(store)
  }

  @Test("at most 64 values of a store are open for reading, null and refused ones not counted")
  func mostReaders() async throws {
    let (shelf, context, id) = try await Self.film()
    try Self.write(1, context, id)
    for _ in 0..<70 {
      #expect(try context.openValue(of: id, "plain") == nil)
      #expect(throws: StoreError.self) { try context.openValue(of: id, "title") }
    }
    var readers: [ValueReader] = []
    for _ in 0..<64 { readers.append(try #require(try context.openValue(of: id, "data"))) }
    #expect { _ = try context.openValue(of: id, "data") } throws: { ($0 as? StoreError)?.code == .busy }
    readers[0].close()
    readers[0] = try #require(try context.openValue(of: id, "data"))
    #expect(try readers.allSatisfy { try $0.read(upToCount: 9)?.count == 1 })
    readers = []
    _ = try #require(try context.openValue(of: id, "data"))
    try shelf.container.close()
  }

  @Test("two writers take turns, and one that cannot wait gets an error")
  func writers() async throws {
    let (shelf, context, id) = try await Self.film()
    var description = PersistentStoreDescription(
      url: shelf.folder.appendingPathComponent("l.strongroom"), vault: shelf.vault)
    description.busyTimeoutMilliseconds = 50
    let other = PersistentContainer(
      managedObjectModel: shelf.container.managedObjectModel, description: description)
    try await other.loadPersistentStores()
    let there = other.newContext()
    let theirID = try #require(try there.fetch(FetchRequest("Film")).first).objectID
    let store = try #require(try other.persistentStoreCoordinator.persistentStore as? SQLCipherStore)
    let changes = try store.remoteChangeCount
    try context.writeValue(count: 2, to: id, "data") { writer in
      try writer.write(contentsOf: Data([1]))
      #expect(throws: StoreError.self) {
        try there.writeValue(count: 0, to: theirID, "data") { _ in }
      }
      // Within the closure the same store answers readers, and refuses writers.
      #expect(try context.openValue(of: id, "data") == nil)
      #expect(throws: StoreError.self) { try context.writeValue(count: 0, to: id, "data") { _ in } }
      try writer.write(contentsOf: Data([2]))
    }
    #expect(try store.remoteChangeCount != changes, "another process hears of it")
    #expect(try there.openValue(of: theirID, "data")?.read(upToCount: 9) == Data([1, 2]))
    let coordinator = shelf.container.persistentStoreCoordinator
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...4 {
        group.addTask {
          try Self.write(number * 300_000, ManagedObjectContext(coordinator), id)
        }
      }
      try await group.waitForAll()
    }
    let count = try #require(try context.openValue(of: id, "data")).count
    #expect(count % 300_000 == 0)
    #expect(try Self.isWhole(count, context, id))
    #expect(try shelf.container.persistentStoreCoordinator.persistentStore.newValues(for: id).version == 6)
    try other.close()
  }

  @Test("a save inside the closure of a write throws with advice, and leaves the former value")
  func saveInside() async throws {
    let (shelf, context, id) = try await Self.film()
    let other = shelf.container.newContext()
    #expect {
      try context.writeValue(count: 1, to: id, "data") { _ in
        _ = try other.insert("Film")
        try other.save()
      }
    } throws: {
      "\($0)".contains("reads rows or writes a value; do it after the closure")
    }
    #expect(try context.openValue(of: id, "data") == nil)
  }

  @Test("lengths that no row has, and stores that are only read, are refused with a typed error")
  func refused() async throws {
    let (shelf, context, id) = try await Self.film()
    for count in [-1, 999_999_999, 1_000_000_000, 1_000_000_001, Int.max] {
      #expect { try context.writeValue(count: count, to: id, "data") { _ in } } throws: {
        ($0 as? StoreError)?.code == .invalidValue
      }
    }
    try shelf.container.close()
    var description = PersistentStoreDescription(
      url: shelf.folder.appendingPathComponent("l.strongroom"), vault: shelf.vault)
    description.isReadOnly = true
    let reading = PersistentContainer(
      managedObjectModel: shelf.container.managedObjectModel, description: description)
    try await reading.loadPersistentStores()
    let other = reading.newContext()
    let film = try #require(try other.fetch(FetchRequest("Film")).first)
    #expect(try other.openValue(of: film.objectID, "data") == nil)
    #expect { try other.writeValue(count: 0, to: film.objectID, "data") { _ in } } throws: {
      ($0 as? StoreError)?.code == .readOnly
    }
    try reading.close()
  }
}
