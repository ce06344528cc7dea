import Foundation
import Strongroom
import Testing

@Suite("The log beside a file")
struct LeftLogTests {
  /// A store with one book, a copy of it, and a program that has it open.
  private struct Place {
    let folder: URL
    var store: URL { folder.appendingPathComponent("library.strongroom") }
    var copy: URL { folder.appendingPathComponent("copy") }
    private var keys: URL { folder.appendingPathComponent("keys") }

    init() async throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("log-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let container = try await open()
      let context = container.newContext()
      try context.insert("Book").set("title", "first")
      try context.save()
      try container.close()
      try FileManager.default.copyItem(at: store, to: copy)
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    func open(_ url: URL? = nil) async throws -> PersistentContainer {
      let model = try ManagedObjectModel {
        Entity("Book") { Attribute("title", .string) }
      }
      let container = PersistentContainer(
        managedObjectModel: model,
        description: PersistentStoreDescription(url: url ?? store, vault: KeyFileVault(url: keys)))
      try await container.loadPersistentStores()
      return container
    }

    func count(_ url: URL? = nil) async throws -> Int {
      let container = try await open(url)
      defer { try? container.close() }
      return try container.newContext().count(for: FetchRequest("Book"))
    }

    /// The store and what lies beside it.
    var files: [String] {
      get throws {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("library") }
          .sorted()
      }
    }

    /// Starts a program that adds books and goes on to have the store open.
    func program(adding count: Int) throws -> (Process, FileHandle) {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("sharing-probe")
      process.arguments = [store.path, keys.path]
      let (input, output) = (Pipe(), Pipe())
      process.standardInput = input
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      try input.fileHandleForWriting.write(contentsOf: Data("many \(count)\n".utf8))
      #expect(output.fileHandleForReading.availableData == Data("done\n".utf8))
      return (process, input.fileHandleForWriting)
    }

    /// Puts the copy in the store's place, as `mv` does.
    func putCopyInPlace() throws {
      #expect(rename(copy.path, store.path) == 0)
    }
  }

  private func isRefused(_ place: Place) async throws -> Bool {
    let bytes = try Data(contentsOf: place.store)
    defer { #expect((try? Data(contentsOf: place.store)) == bytes) }
    do {
      _ = try await place.count()
      return false
    } catch let error as StoreError {
      return error.code == .fileDamaged && "\(error)".contains("the log of another file")
    }
  }

  @Test("goes when a program ends that did not close its store")
  func quit() async throws {
    let place = try await Place()
    defer { place.remove() }
    let (process, input) = try place.program(adding: 300)
    #expect(try place.files.count == 3)
    try input.write(contentsOf: Data("quit\n".utf8))
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try place.files == ["library.strongroom"])
    #expect(try await place.count() == 301)
  }

  @Test("of a killed program is not laid over a file that was put in the place of its own")
  func killed() async throws {
    let place = try await Place()
    defer { place.remove() }
    let (process, _) = try place.program(adding: 300)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    // File and log together are what they were, wherever they are.
    let copies = place.folder.appendingPathComponent("copies")
    try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: true)
    for ending in ["", "-wal"] {
      let copying = Process()
      copying.executableURL = URL(fileURLWithPath: "/bin/cp")
      copying.arguments = ["-a", place.store.path + ending, copies.path]
      try copying.run()
      copying.waitUntilExit()
    }
    #expect(try await place.count(copies.appendingPathComponent("library.strongroom")) == 301)
    try place.putCopyInPlace()
    #expect(try await isRefused(place))
    try FileManager.default.removeItem(atPath: place.store.path + "-wal")
    #expect(try await place.count() == 1)
  }

  @Test("of a program that lives on is laid over none either, and stays with what was saved in it")
  func living() async throws {
    let place = try await Place()
    defer { place.remove() }
    let (process, input) = try place.program(adding: 300)
    try place.putCopyInPlace()
    #expect(try await isRefused(place))
    try input.write(contentsOf: Data("quit\n".utf8))
    process.waitUntilExit()
    #expect(try await isRefused(place))
    try FileManager.default.removeItem(atPath: place.store.path + "-wal")
    #expect(try await place.count() == 1)
  }
}
