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

  func run(_ phase: Phase, at path: String) throws -> PhaseRun {
    if phase == .open || phase == .reopen { return try opens(phase, path) }
    let store = try open(
      path, create: phase.makesStore, full: phase == .singleSavesFull || phase == .singlePushes)
    defer { lm_close(store) }
    let start = now()
    let sum = try time(phase, store)
    let seconds = now() - start
    guard sum != 0 else { throw Rounds.Failure(description: String(cString: lm_error(store))) }
    let changed = phase.changesStore || phase.makesStore
    return PhaseRun(
      seconds: seconds,
      checksum: changed ? (phase.isOfRecords ? lm_fetch_records(store) : lm_state(store)) : sum)
  }

  private func opens(_ phase: Phase, _ path: String) throws -> PhaseRun {
    var sum: UInt64 = 1
    let start = now()
    for _ in 0..<workload.opens {
      let store = try open(path)
      if phase == .reopen { sum = lm_first(store, 20) }
      lm_close(store)
    }
    return PhaseRun(seconds: now() - start, checksum: sum)
  }

  private func time(_ phase: Phase, _ store: OpaquePointer) throws -> UInt64 {
    let (books, authors, tags) = (workload.books, workload.authors, workload.tags)
    let picks = Int64(workload.picks)
    switch phase {
    case .saveAll: return lm_insert_all(store, books, authors, tags)
    case .bulkInsert: return lm_bulk_insert(store, books, authors, tags)
    case .singleSaves, .singleSavesFull:
      return lm_single_saves(store, books, workload.singleSaves, authors, tags)
    case .fetchAll: return lm_fetch_all(store)
    case .fetchFaults: return lm_fetch_ids(store)
    case .byID, .byIDHit: return lm_by_id(store, workload.randomBooks(seed: 5), picks)
    case .byISBN:
      return lm_by_isbn(store, workload.randomBooks(seed: 6).map { $0 - 1 }, picks, authors, tags)
    case .filtered: return lm_filtered(store, workload.filters)
    case .toMany: return lm_books_of_authors(store, authors)
    case .toManyPrefetched: return lm_books_grouped(store, authors)
    case .manyToMany, .manyToManyLive: return lm_books_of_tags(store, tags)
    case .change: return lm_change(store, workload.randomBooks(seed: 10), picks)
    case .delete: return lm_delete(store, workload.randomBooks(seed: 11), picks)
    case .average: return lm_average(store, workload.averages)
    case .pushRecords: return lm_push_records(store, books, authors, tags)
    case .fetchRecords: return lm_fetch_records(store)
    case .recordByKey:
      return lm_records_by_key(store, workload.randomBooks(seed: 6).map { $0 - 1 }, picks)
    case .singlePushes: return lm_push_singly(store, books, workload.singleSaves, authors, tags)
    default: return 0
    }
  }
}
