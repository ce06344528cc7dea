import Foundation
import Strongroom
import Testing

@Suite("The write-ahead log")
struct LogGrowthTests {
  @Test("does not grow without end under contexts that are pinned whenever something is saved")
  func pinned() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("log-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("notes")
    let model = try ManagedObjectModel { Entity("Note") { Attribute("data", .binary) } }
    let container = PersistentContainer(
      managedObjectModel: model, description: PersistentStoreDescription(url: file, vault: InMemoryVault()))
    try await container.loadPersistentStores()
    for _ in 0..<300 {
      let context = container.newContext()
      try context.setQueryGenerationFrom(.current)
      // Each save pins it anew.
      let note = try context.insert("Note")
      try note.set("data", Data(repeating: 1, count: 200_000))
      try context.save()
      try context.delete(note)
      try context.save()
    }
    // 60 MB were written.
    let log = try FileManager.default.attributesOfItem(atPath: file.path + "-wal")[.size] as? Int ?? 0
    #expect(log > 4 << 20 && log < 24 << 20, "\(log)")
    try container.close()
  }
}
