import BenchKit
import CLimitPlain
import Foundation

/// The hand-written C on plain SQLite.
struct LimitPath: Contestant {
  let name = "limit-plain"
  let workload: Workload

  func supports(_ phase: Phase) -> Bool { true }

  private func open(_ path: String, create: Bool = false, full: Bool = false) throws -> OpaquePointer {
    guard let store = lm_open(path, create ? 1 : 0, full ? 2 : 1) else {
      throw Rounds.Failure(description: "the limit cannot open \(path)")
    }
    return store
  }

  func makeStore(at path: String) throws {
    let store = try open(path, create: true)
    guard lm_insert_all(store, workload.books, workload.authors, workload.tags) != 0 else {
      throw Rounds.Failure(description: String(cString: lm_error(store)))
    }
    lm_close(store)
  }
}
