import Foundation
import StrongroomData
import Synchronization

/// A folder for the stores of one test, with a vault for their keys; both go away with it.
final class Place: Sendable {
  let vault = InMemoryVault()
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("manual-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  /// Opens the place's store, or makes it.
  func container(for types: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types),
      configurations: [ModelConfiguration(url: file("models.store"), keyVault: vault)])
  }
}

/// Counts, from any thread.
final class Tally: Sendable {
  private let count = Atomic<Int>(0)
  var value: Int { count.load(ordering: .relaxed) }
  func add(_ number: Int = 1) { count.add(number, ordering: .relaxed) }
}
