import CLibrary
import Foundation

/// The sizes of the library and the objects that phases pick from it.
package struct Workload: Sendable {
  package let books: Int64
  package let authors: Int64
  package let tags: Int64 = 500

  package init(books: Int) {
    self.books = Int64(books)
    authors = max(Int64(books) / 100, 20)
  }

  /// Objects of P5, P6, P10 and P11.
  package var picks: Int { Int(min(books / 2, 10_000)) }
  package var singleSaves: Int64 { min(books / 10, 2_000) }
  /// Opens per run of P1 and P14.
  package let opens = 20
  package var filters: Int64 { min(books / 40, 500) }
  package var averages: Int64 { min(books / 400, 50) }

  /// Different books in random order, from 1.
  package func randomBooks(seed: UInt64) -> [Int64] {
    var state = seed
    var seen: Set<Int64> = []
    var result: [Int64] = []
    result.reserveCapacity(picks)
    while result.count < picks {
      let id = Int64(lm_random(&state) % UInt64(books)) + 1
      if seen.insert(id).inserted { result.append(id) }
    }
    return result
  }

  /// How many operations a phase's time is divided by.
  package func operations(_ phase: Phase) -> Int {
    switch phase {
    case .open, .reopen: opens
    case .saveAll, .bulkInsert, .fetchAll, .fetchFaults, .pushRecords, .fetchRecords: Int(books)
    case .singleSaves, .singleSavesFull, .singlePushes: Int(singleSaves)
    case .byID, .byIDHit, .byISBN, .recordByKey, .change, .delete: picks
    case .filtered: Int(filters)
    case .toMany, .toManyPrefetched: Int(authors)
    case .manyToMany, .manyToManyLive: Int(tags)
    case .average: Int(averages)
    }
  }
}
