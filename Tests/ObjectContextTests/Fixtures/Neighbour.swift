import Foundation
import Locks
import Strongroom

/// A library store with its key in a file, and another process that writes to it.
final class Neighbour: Sendable {
  let folder: URL
  let container: PersistentContainer
  private let process = Locked<(Process, Pipe, Pipe)?>(nil)

  init() async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("shared-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    container = PersistentContainer(
      managedObjectModel: try Library.model(), description: Self.description(folder))
    try await container.loadPersistentStores()
  }

  deinit {
    process.withLock { running in
      try? running?.1.fileHandleForWriting.close()
      running?.0.waitUntilExit()
    }
    try? FileManager.default.removeItem(at: folder)
  }

  private static func description(_ folder: URL) -> PersistentStoreDescription {
    PersistentStoreDescription(
      url: folder.appendingPathComponent("l.strongroom"),
      vault: KeyFileVault(url: folder.appendingPathComponent("keys")))
  }

  /// A second coordinator of this process on the same file.
  func other() async throws -> PersistentContainer {
    let other = PersistentContainer(
      managedObjectModel: container.managedObjectModel, description: Self.description(folder))
    try await other.loadPersistentStores()
    return other
  }

  /// Has the other process save something, and waits until it has.
  func tell(_ line: String) throws {
    let (_, input, output) = try process.withLock { running -> (Process, Pipe, Pipe) in
      if let running { return running }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("sharing-probe")
      process.arguments = ["l.strongroom", "keys"].map { folder.appendingPathComponent($0).path }
      let (input, output) = (Pipe(), Pipe())
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      running = (process, input, output)
      return (process, input, output)
    }
    try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    guard String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "done\n" else {
      throw CocoaError(.fileReadUnknown)
    }
  }

  var statements: Int {
    get throws {
      (try container.persistentStoreCoordinator.persistentStore as? SQLCipherStore)?.executedStatements ?? 0
    }
  }

  /// The statements that some work issues.
  func count(_ work: () throws -> Void) throws -> Int {
    let before = try statements
    try work()
    return try statements - before
  }

  var store: SQLCipherStore {
    get throws {
      guard let store = try container.persistentStoreCoordinator.persistentStore as? SQLCipherStore else {
        throw CocoaError(.featureUnsupported)
      }
      return store
    }
  }
}
