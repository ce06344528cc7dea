import BenchKit
import CLibrary
import CLimitPlain
import Foundation
import GRDB

/// GRDB's records on plain SQLite, with the settings of the limit; its Codable records in the phases
/// of records.
struct GRDBPath: Contestant {
  let name = "grdb"
  let workload: Workload

  func supports(_ phase: Phase) -> Bool {
    // There is no identity map and there are no faults.
    phase != .byIDHit && phase != .fetchFaults && phase != .manyToManyLive
  }

  private func open(_ path: String, create: Bool = false, full: Bool = false) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = .wal
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536")
    }
    // The tables are the limit's own.
    if create {
      guard let store = lm_open(path, 1, 1) else {
        throw Rounds.Failure(description: "the limit cannot make \(path)")
      }
      lm_close(store)
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    // GRDB sets NORMAL itself when it turns on the log, after the preparation above.
    if full { try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") } }
    return queue
  }

  func makeStore(at path: String) throws {
    let queue = try open(path, create: true)
    try queue.write { try insertAll($0) }
    try queue.close()
  }

  func run(_ phase: Phase, at path: String) throws -> PhaseRun {
    if phase == .open || phase == .reopen { return try opens(phase, path) }
    let queue = try open(
      path, create: phase.makesStore, full: phase == .singleSavesFull || phase == .singlePushes)
    var books: [Book] = []
    let heap = heapBytes() - lm_memory_used()
    let start = now()
    var sum = try phase.isOfRecords ? performRecords(phase, queue) : perform(phase, queue, &books)
    let seconds = now() - start
    let bytes = Double(heapBytes() - lm_memory_used() - heap) / Double(max(books.count, 1))
    withExtendedLifetime(books) {}
    try queue.close()
    if phase.changesStore || phase.makesStore {
      guard let store = lm_open(path, 0, 1) else { throw Rounds.Failure(description: "cannot reopen") }
      sum = phase.isOfRecords ? lm_fetch_records(store) : lm_state(store)
      lm_close(store)
    }
    return PhaseRun(seconds: seconds, checksum: sum, bytesPerObject: books.isEmpty ? nil : bytes)
  }

  private func opens(_ phase: Phase, _ path: String) throws -> PhaseRun {
    var sum: UInt64 = 1
    let start = now()
    for _ in 0..<workload.opens {
      let queue = try open(path)
      if phase == .reopen {
        sum = try queue.read { read(try Book.order(Book.Columns.id).limit(20).fetchAll($0)) }
      }
      try queue.close()
    }
    return PhaseRun(seconds: now() - start, checksum: sum)
  }

  private func perform(_ phase: Phase, _ queue: DatabaseQueue, _ books: inout [Book]) throws -> UInt64 {
    switch phase {
    case .saveAll:
      try queue.write { try insertAll($0) }
      return 0
    case .bulkInsert:
      try queue.write { try bulkInsert($0) }
      return 0
    case .singleSaves, .singleSavesFull:
      for index in workload.books..<workload.books + workload.singleSaves {
        try queue.write { try insertBook(index, $0) }
      }
      return 0
    case .change:
      try queue.write { database in
        for var book in try Book.fetchAll(database, keys: workload.randomBooks(seed: 10)) {
          book.pages = Int64(LM_NEW_PAGES)
          try book.update(database, columns: [Book.Columns.pages])
        }
      }
      return 0
    case .delete:
      try queue.write { database in
        for id in workload.randomBooks(seed: 11) {
          try Link.filter(Column("book") == id).deleteAll(database)
          try Book.deleteOne(database, key: id)
        }
      }
      return 0
    case .fetchAll:
      books = try queue.read { try Book.order(Book.Columns.id).fetchAll($0) }
      return read(books)
    default: return try queue.read { try question(phase, $0) }
    }
  }

  private func question(_ phase: Phase, _ database: Database) throws -> UInt64 {
    var sum = Checksum()
    func add(_ books: [Book]) { sum.add(Int64(bitPattern: read(books))) }
    switch phase {
    case .byID:
      for id in workload.randomBooks(seed: 5) {
        add(try Book.fetchOne(database, key: id).map { [$0] } ?? [])
      }
    case .byISBN:
      for number in workload.randomBooks(seed: 6) {
        let digits = String(number - 1)
        let isbn = "978" + String(repeating: "0", count: 10 - digits.count) + digits
        add(try Book.filter(Book.Columns.isbn == isbn).fetchAll(database))
      }
    case .filtered:
      for index in 0..<workload.filters {
        let country = "C" + (index % 20 < 10 ? "0" : "") + String(index % 20)
        add(
          try Book.joining(required: Book.writer.filter(Column("country") == country))
            .filter(Book.Columns.pages > 100 + index % 300)
            .order(Book.Columns.published, Book.Columns.id).limit(100).fetchAll(database))
      }
    case .toMany:
      for author in 1...workload.authors {
        add(try Book.filter(Book.Columns.author == author).order(Book.Columns.id).fetchAll(database))
      }
    case .toManyPrefetched:
      let request = Author.including(all: Author.books).order(Column("id"))
      for info in try request.asRequest(of: AuthorInfo.self).fetchAll(database) { add(info.books) }
    case .manyToMany:
      for tag in 1...workload.tags {
        add(
          try Book.joining(required: Book.links.filter(Column("tag") == tag)).order(Book.Columns.id)
            .fetchAll(database))
      }
    case .average:
      let sql = """
        SELECT a.country, avg(b.price), count(*) FROM book b JOIN author a ON a.id = b.author
        GROUP BY a.country ORDER BY a.country
        """
      for _ in 0..<workload.averages {
        for row in try Row.fetchAll(database, sql: sql) {
          sum.add(row[0] as String)
          sum.add(row[2] as Int64)
        }
      }
    default: break
    }
    return sum.value
  }
}
