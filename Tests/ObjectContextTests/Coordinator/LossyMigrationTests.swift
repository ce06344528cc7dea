import Foundation
import Locks
import Strongroom
import Testing

@Suite("A migration that drops data loses none")
struct LossyMigrationTests {
  private final class Place: Sendable {
    let folder: URL
    var store: URL { folder.appendingPathComponent("library.strongroom") }
    private var vault: KeyFileVault { KeyFileVault(url: folder.appendingPathComponent("keys")) }

    init() throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("lossy-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func description(_ url: URL? = nil) -> PersistentStoreDescription {
      var description = PersistentStoreDescription(url: url ?? store, vault: vault)
      description.busyTimeoutMilliseconds = 30_000
      return description
    }

    func open(_ texts: [String], at url: URL? = nil) async throws -> PersistentContainer {
      let container = PersistentContainer(
        managedObjectModel: try LossyMigrationTests.model(texts), description: description(url))
      try await container.loadPersistentStores()
      return container
    }

    /// Opens, has every book hold bytes in some texts, and closes.
    func fill(_ texts: [String], books: Int, with name: String, bytes: Int) async throws {
      let container = try await open(texts)
      let context = container.newContext()
      for number in 0..<books {
        let book = try context.insert("Book")
        try book.set("title", "first \(number)")
        try book.set(name, String(repeating: "x", count: bytes))
      }
      try context.save()
      try container.close()
    }

    /// The store and what lies beside it; the keys apart.
    var files: [String] {
      get throws {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("library") }
          .sorted()
      }
    }

    var size: Int { bytes(of: store.lastPathComponent) }

    /// Another one for each file that has ever had a name.
    func identity(of file: String) -> [Int] {
      var status = stat()
      lstat(folder.appendingPathComponent(file).path, &status)
      return [Int(status.st_ino), Int(status.st_ctim.tv_sec), Int(status.st_ctim.tv_nsec)]
    }

    /// 0 where there is no such file.
    func bytes(of file: String) -> Int {
      let path = folder.appendingPathComponent(file).path
      return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
  }

  /// Books with a title and further texts.
  private static func model(_ texts: [String]) throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string)
        for text in texts { Attribute(text, .string) }
      }
    }
  }

  @Test("and gives the pages back that it frees")
  func size() async throws {
    let place = try Place()
    try await place.fill(["blurb"], books: 400, with: "blurb", bytes: 20_000)
    let before = place.size
    #expect(before > 8_000_000)
    let container = try await place.open([])
    #expect(try container.newContext().count(for: FetchRequest("Book")) == 400)
    let store = try #require(container.persistentStoreCoordinator.persistentStore as? SQLCipherStore)
    #expect(try store.summary().freePageCount == 0)
    try container.close()
    #expect(place.size < before / 10)
    #expect(try place.files == ["library.strongroom", "library.strongroom.before-migration"])
    #expect(try await SQLCipherStore.verify(place.description()).isEmpty)
  }

  @Test("and an older program that comes back writes nothing, however often it tries")
  func older() async throws {
    let place = try Place()
    try await place.fill(["blurb"], books: 10, with: "blurb", bytes: 100)
    try await place.open(["review"]).close()
    try await place.fill(["review"], books: 10, with: "review", bytes: 100)
    let (files, bytes) = (try place.files, try Data(contentsOf: place.store))
    #expect(files.count == 2)
    for _ in 0..<3 {
      await #expect { try await place.open(["blurb"]) } throws: {
        ($0 as? StoreError)?.code == .modelMismatch && "\($0)".contains("newer than this program")
      }
    }
    #expect(try place.files == files)
    #expect(try Data(contentsOf: place.store) == bytes)
    let now = try await place.open(["review"])
    #expect(try now.newContext().count(for: FetchRequest("Book")) == 20)
    try now.close()
  }

  @Test("and an older program that needs what was dropped gets that error, not a list of what it lacks")
  func olderNeeds() async throws {
    let place = try Place()
    try await place.fill(["blurb"], books: 10, with: "blurb", bytes: 100)
    func open(_ attribute: Attribute) async throws {
      let model = try ManagedObjectModel { Entity("Book") { attribute } }
      let container = PersistentContainer(managedObjectModel: model, description: place.description())
      try await container.loadPersistentStores()
      try container.close()
    }
    try await open(Attribute("title", .string, optional: false))
    try await open(Attribute("number", .integer64))
    let files = try place.files
    await #expect {
      try await open(Attribute("title", .string, optional: false))
    } throws: {
      ($0 as? StoreError)?.code == .modelMismatch && "\($0)".contains("newer than this program")
    }
    #expect(try place.files == files)
  }

  @Test("and an older program does not fill anew what was dropped")
  func olderFills() async throws {
    let place = try Place()
    try await place.fill(["blurb", "review"], books: 10, with: "blurb", bytes: 100)
    try await place.open(["review"]).close()
    let (files, bytes) = (try place.files, try Data(contentsOf: place.store))
    await #expect { try await place.open(["blurb", "review"]) } throws: {
      ($0 as? StoreError)?.code == .modelMismatch && "\($0)".contains("come back without its values")
    }
    #expect(try place.files == files)
    #expect(try Data(contentsOf: place.store) == bytes)
    // Nothing was dropped on this way, and nothing would be on the way back.
    try await place.open(["review", "number"]).close()
    try await place.open(["review"]).close()
  }

  @Test("and leaves three copies at most")
  func copies() async throws {
    let place = try Place()
    let names = ["a", "b", "c", "d", "e"]
    try await place.fill(["a"], books: 10, with: "a", bytes: 100)
    for name in names[1...3] {
      try await place.open([name]).close()
      try await place.fill([name], books: 1, with: name, bytes: 100)
    }
    let copies = try place.files.filter { $0.contains("before-migration") }
    #expect(copies.count == 3)
    let bytes = try Data(contentsOf: place.store)
    await #expect { try await place.open(["e"]) } throws: { ($0 as? StoreError)?.code == .fileExists }
    #expect(try Data(contentsOf: place.store) == bytes)
    for (copy, name) in zip(copies, names) {
      let old = try await place.open([name], at: place.folder.appendingPathComponent(copy))
      #expect(try old.newContext().count(for: FetchRequest("Book")) >= 10)
      try old.close()
    }
    try FileManager.default.removeItem(at: place.folder.appendingPathComponent(copies[1]))
    let container = try await place.open(["e"])
    #expect(try container.newContext().count(for: FetchRequest("Book")) == 13)
    try container.close()
  }

  @Test("and leaves no copy when it is killed, however often")
  func killed() async throws {
    let place = try Place()
    try await place.fill(["blurb"], books: 4000, with: "blurb", bytes: 10_000)
    for _ in 0..<4 {
      let process = try Self.probe(place, "blurb")
      // The copy is done, and rows are on their way.
      while place.bytes(of: "library.strongroom-wal") < 4 << 20, process.isRunning { usleep(500) }
      #expect(process.isRunning)
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    #expect(try !place.files.contains("library.strongroom.before-migration"))
    try await place.open([]).close()
    #expect(
      try place.files.filter { !$0.hasSuffix(".new") } == [
        "library.strongroom", "library.strongroom.before-migration",
      ])
    let copy = try await place.open(
      ["blurb"], at: place.folder.appendingPathComponent("library.strongroom.before-migration"))
    #expect(try copy.newContext().count(for: FetchRequest("Book")) == 4000)
    try copy.close()
  }

  @Test("and one that is killed amid its commit leaves a copy that the next attempt takes the place of")
  func killedAmidCommit() async throws {
    let place = try Place()
    try await place.fill(["blurb"], books: 4000, with: "blurb", bytes: 10_000)
    /// Each copy, as another one than an earlier one of its name.
    func copies() throws -> Set<[Int]> {
      let names = try place.files.filter { $0.contains("before-migration") && !$0.contains(".new") }
      return Set(names.map(place.identity(of:)))
    }
    var isMigrated = false
    for _ in 0..<5 where !isMigrated {
      let before = try copies()
      let process = try Self.probe(place, "blurb")
      while try copies().isSubset(of: before), process.isRunning { usleep(50) }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      let book = try await SQLCipherStore.storedModel(place.description()).entity(named: "Book")
      isMigrated = book?.attribute(named: "title") == nil
    }
    try await place.open([]).close()
    #expect(try copies().count == (isMigrated ? 2 : 1))
  }

  @Test("of other processes that save meanwhile")
  func othersWriting() async throws {
    let place = try Place()
    try await place.fill(["blurb"], books: 2000, with: "blurb", bytes: 4000)
    let acknowledged = Locked<Set<String>>([])
    let ended = DispatchGroup()
    for writer in 0..<3 {
      ended.enter()
      Thread.detachNewThread {
        for number in 0..<30 {
          let title = "\(writer)-\(number)"
          if (try? Self.save(title, place)) == true { _ = acknowledged.withLock { $0.insert(title) } }
        }
        ended.leave()
      }
    }
    while acknowledged.withLock({ $0.count }) < 5 { usleep(1000) }
    // Others have the file now and then, and the migration needs it alone.
    let container = try await place.open([])
    try container.close()
    await withCheckedContinuation { done in ended.notify(queue: .global()) { done.resume() } }
    let now = try await place.open([])
    let titles = try now.newContext().fetchRows(FetchRequest("Book")) { $0.string(0) }
    try now.close()
    #expect(acknowledged.withLock { $0 }.subtracting(titles).isEmpty)
    #expect(titles.filter { $0.hasPrefix("first") }.count == 2000)
    #expect(try await SQLCipherStore.verify(place.description()).isEmpty)
    let copy = place.folder.appendingPathComponent("library.strongroom.before-migration")
    #expect(try await SQLCipherStore.verify(place.description(copy)).isEmpty)
  }

  @Test("of programs that all begin it at once: one does it, and the others find it done", arguments: 0..<8)
  func allAtOnce(_ round: Int) async throws {
    let place = try Place()
    try await place.fill(["blurb"], books: 200, with: "blurb", bytes: 4000)
    let saved = Locked(0)
    let ended = DispatchGroup()
    for number in 0..<2 {
      ended.enter()
      Thread.detachNewThread {
        if (try? Self.save("other \(number)", place, "title")) == true { saved.withLock { $0 += 1 } }
        ended.leave()
      }
    }
    async let first = place.open([])
    async let second = place.open([])
    for container in try await [first, second] {
      #expect(try container.newContext().count(for: FetchRequest("Book")) >= 200)
      try container.close()
    }
    await withCheckedContinuation { done in ended.notify(queue: .global()) { done.resume() } }
    #expect(saved.withLock { $0 } == 2)
    #expect(try place.files == ["library.strongroom", "library.strongroom.before-migration"])
    let now = try await place.open([])
    #expect(try now.newContext().count(for: FetchRequest("Book")) == 202)
    try now.close()
  }

  /// Has a process of its own open the store, save a book and close it; whether it said that it
  /// had.
  ///
  /// - `attributes`: What books have, in its model; nil for what they have in the store.
  private static func save(_ title: String, _ place: Place, _ attributes: String? = nil) throws -> Bool {
    let (input, output) = (Pipe(), Pipe())
    let process = try probe(place, attributes, input, output)
    try input.fileHandleForWriting.write(contentsOf: Data("insert \(title)\n".utf8))
    try input.fileHandleForWriting.close()
    let answer = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: answer, as: UTF8.self).hasPrefix("done")
  }

  private static func probe(
    _ place: Place, _ attributes: String?, _ input: Pipe = Pipe(), _ output: Pipe = Pipe()
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("sharing-probe")
    process.arguments = [place.store.path, place.folder.appendingPathComponent("keys").path]
    process.arguments?.append(contentsOf: attributes.map { [$0] } ?? [])
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }
}
