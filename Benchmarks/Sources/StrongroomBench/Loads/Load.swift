import BenchKit
import CLibrary
import CLimit
import Foundation
import Strongroom

/// Something that programs do which is no phase of the library, with the bare library's calls for
/// the same beside it.
protocol Load: Sendable {
  /// Measures one adjacent pair of runs, in a folder of its own.
  func measure(in folder: URL) async throws -> [LoadRun]
}

/// One run of a load and of the bare library's calls.
struct LoadRun {
  let what: String
  let unit: String
  let bare: Double
  let own: Double
  /// The greatest ratio of the two.
  let gate: Double
}

/// A store at a path, with the settings of the limit.
func openStore(
  _ path: String, _ model: ManagedObjectModel, create: Bool = true, pageCacheBytes: Int? = nil,
  tracksHistory: Bool = true
) async throws -> PersistentContainer {
  var description = PersistentStoreDescription(
    type: SQLCipherStore.storeType, url: URL(fileURLWithPath: path))
  description.storeKey = try [UInt8](0..<32).withUnsafeBytes { try StoreKey(bytes: $0) }
  description.createsIfMissing = create
  description.durability = .normal
  description.tracksHistory = tracksHistory
  description.historyLimits = .none
  if let pageCacheBytes { description.pageCacheBytes = pageCacheBytes }
  let container = PersistentContainer(managedObjectModel: model, description: description)
  try await container.loadPersistentStores()
  return container
}

/// The limit's store at a path.
func openLimit(_ path: String, create: Bool = true) throws -> OpaquePointer {
  guard let store = lm_open(path, create ? 1 : 0, 1) else {
    throw Rounds.Failure(description: "the limit cannot open \(path)")
  }
  return store
}

/// Runs statements without results on the limit's store.
func run(_ store: OpaquePointer, _ sql: String) throws {
  guard lm_run(store, sql) == 0 else {
    throw Rounds.Failure(description: String(cString: lm_error(store)))
  }
}

/// Seconds that a body takes, and how many bytes the process's memory rose at most meanwhile.
func peak(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
) async throws -> (seconds: Double, bytes: Double) {
  // Else what an earlier run freed would be taken first.
  lm_trim_heap()
  // 5 sets the greatest resident size back to the present one (proc(5)).
  try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
  let before = memory("VmRSS")
  let start = now()
  try await body()
  return (now() - start, max(memory("VmHWM") - before, 0))
}

private func memory(_ name: String) -> Double {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
  return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0) * 1024
}
