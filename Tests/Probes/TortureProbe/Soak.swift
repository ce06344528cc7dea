import Foundation
import Glibc
import Strongroom

/// Does what a program does that runs for years, in one process that has a store open: pins
/// contexts, opens the store once more, verifies it, and backs it up; and looks whether descriptors
/// and memory stay what they were.
struct Soak {
  let count: Int
  let kinds: [Kind]
  private let playground = Playground(NSTemporaryDirectory() + "/strongroom-soak-\(getpid())")

  enum Kind: String, CaseIterable { case pin, open, save, verify, backUp }

  func run() async throws -> Bool {
    try FileManager.default.createDirectory(at: playground.folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: playground.folder) }
    var description = playground.description()
    description.createsIfMissing = true
    description.keyVaults = [playground.first]
    let container = PersistentContainer(managedObjectModel: try Playground.model(), description: description)
    try await container.loadPersistentStores()
    var isFlat = true
    for kind in kinds {
      // What caches and pools take at first is no leak.
      for _ in 0..<min(count / 10, 1000) { try await act(kind, container) }
      let before = (descriptors, memory)
      for index in 0..<count {
        try await act(kind, container)
        if isatty(STDERR_FILENO) == 1, index % 100 == 0 { say("\r\u{1B}[K\(kind): \(index) of \(count)") }
      }
      let after = (descriptors, memory)
      let isGood = after.0 <= before.0 && after.1 <= before.1 + 8 << 20
      print(
        "soak \(kind): \(count) times, descriptors \(before.0) to \(after.0), resident \(before.1 >> 10) to"
          + " \(after.1 >> 10) KiB" + (isGood ? "" : ": grows"))
      isFlat = isFlat && isGood
    }
    try container.close()
    return isFlat
  }

  private func act(_ kind: Kind, _ container: PersistentContainer) async throws {
    switch kind {
    case .pin:
      let context = container.newContext()
      try context.setQueryGenerationFrom(.current)
      _ = try context.count(for: FetchRequest("Batch"))
    case .open:
      try await playground.open().close()
    case .save:
      // In a pinned context, which is pinned anew by each save.
      let context = container.newContext()
      try context.setQueryGenerationFrom(.current)
      let batch = try context.insert("Batch")
      try context.save()
      try context.delete(batch)
      try context.save()
    case .verify:
      let findings = try await SQLCipherStore.verify(playground.description())
      if let finding = findings.first { throw StoreError(.fileDamaged, "\(finding)") }
    case .backUp:
      let copy = playground.backup(1)
      try await SQLCipherStore.backUp(playground.description(), to: copy)
      unlink(copy.path)
    }
  }

  private var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  /// Resident bytes.
  private var memory: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
      * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
