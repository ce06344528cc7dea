import BenchKit
import CLimit
import CSQLCipherLimit
import Foundation

/// What Swift itself costs: the C's statements, with an object for each row whose values become
/// Swift's strings, dates and data.
///
/// No goal can lie under these ratios.
struct FloorPath: Contestant {
  let name = "floor"
  let workload: Workload

  func supports(_ phase: Phase) -> Bool {
    switch phase {
    case .fetchAll, .byID, .byISBN, .toMany, .toManyPrefetched, .manyToMany: true
    case .fetchRecords, .recordByKey, .pushRecords: true
    default: false
    }
  }

  func makeStore(at path: String) throws { try LimitPath(workload: workload).makeStore(at: path) }

  func run(_ phase: Phase, at path: String) throws -> PhaseRun {
    guard let store = lm_open(path, phase.makesStore ? 1 : 0, 1) else {
      throw Rounds.Failure(description: "the floor cannot open \(path)")
    }
    defer { lm_close(store) }
    let map = FloorMap(Int(workload.books + workload.singleSaves) + 1)
    var (sum, seconds) = try timed {
      try phase.isOfRecords ? FloorRecords(store, workload).perform(phase) : perform(phase, store, map)
    }
    if phase.makesStore { sum = lm_fetch_records(store) }
    return PhaseRun(seconds: seconds, checksum: sum)
  }

  private func perform(_ phase: Phase, _ store: OpaquePointer, _ map: FloorMap) throws -> UInt64 {
    let (authors, tags) = (workload.authors, workload.tags)
    switch phase {
    case .fetchAll: return try read(fetch(select(store, 0, "book b ORDER BY b.id"), map))
    case .byID:
      return try sums(
        workload.randomBooks(seed: 5), select(store, 1, "book b WHERE b.id = ?"), map, bindNumber)
    case .byISBN:
      return try sums(
        workload.randomBooks(seed: 6), select(store, 2, "book b WHERE b.isbn = ?"), map, bindISBN)
    case .toMany:
      return try sums(
        1...authors, select(store, 3, "book b WHERE b.author = ? ORDER BY b.id"), map, bindNumber)
    case .toManyPrefetched: return try grouped(select(store, 0, "book b ORDER BY b.id"), map)
    default:
      let links = "book_tag l JOIN book b ON b.id = l.book WHERE l.tag = ? ORDER BY l.book"
      return try sums(1...tags, select(store, 4, links), map, bindNumber)
    }
  }

  private func select(_ store: OpaquePointer, _ place: Int32, _ from: String) throws -> OpaquePointer {
    try floorStatement(store, place, "SELECT \(floorColumns) FROM \(from)")
  }

  private func fetch(_ statement: OpaquePointer, _ map: FloorMap) -> [FloorBook] {
    var books: [FloorBook] = []
    while sqlite3_step(statement) == SQLITE_ROW { books.append(map.book(statement)) }
    sqlite3_reset(statement)
    return books
  }

  private func read(_ books: [FloorBook]) -> UInt64 {
    var sum = Checksum()
    for book in books { book.add(to: &sum) }
    return sum.value
  }

  private func sums(
    _ values: some Sequence<Int64>, _ statement: OpaquePointer, _ map: FloorMap,
    _ bind: (OpaquePointer, Int64) -> Void
  ) -> UInt64 {
    var sum = Checksum()
    for value in values {
      bind(statement, value)
      sum.add(Int64(bitPattern: read(fetch(statement, map))))
    }
    return sum.value
  }

  private func bindNumber(_ statement: OpaquePointer, _ number: Int64) {
    sqlite3_bind_int64(statement, 1, number)
  }

  private func bindISBN(_ statement: OpaquePointer, _ number: Int64) {
    bindText(floorISBN(number), to: statement, 1)
  }

  /// One scan, the objects in a list for each author.
  private func grouped(_ statement: OpaquePointer, _ map: FloorMap) -> UInt64 {
    var byAuthor: [[FloorBook]] = Array(repeating: [], count: Int(workload.authors) + 1)
    while sqlite3_step(statement) == SQLITE_ROW {
      let book = map.book(statement)
      byAuthor[Int(book.author)].append(book)
    }
    sqlite3_reset(statement)
    var sum = Checksum()
    for books in byAuthor.dropFirst() { sum.add(Int64(bitPattern: read(books))) }
    return sum.value
  }
}

/// The columns of a book as the C selects them.
let floorColumns =
  "b.id, b.title, b.isbn, b.pages, b.price, b.published, b.in_print, b.cover, b.rating, b.author"

/// A statement that the C's store prepares once.
func floorStatement(_ store: OpaquePointer, _ place: Int32, _ sql: String) throws -> OpaquePointer {
  guard let statement = lm_prepared(store, place, sql) else {
    throw Rounds.Failure(description: String(cString: lm_error(store)))
  }
  return OpaquePointer(statement)
}

/// The ISBN of a book's number.
func floorISBN(_ number: Int64) -> String {
  let digits = String(number - 1)
  return "978" + String(repeating: "0", count: 10 - digits.count) + digits
}

/// Binds a text by a copy.
func bindText(_ text: String, to statement: OpaquePointer, _ place: Int32) {
  var text = text
  text.withUTF8 { utf8 in
    utf8.withMemoryRebound(to: CChar.self) {
      _ = sqlite3_bind_text(
        statement, place, $0.baseAddress, Int32($0.count),
        unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
  }
}
