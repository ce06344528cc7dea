import BenchKit
import CSQLCipherLimit
import Foundation

/// A row as packed words: eight bytes a field, then the bytes of texts and blobs.
final class FloorRow: ManagedBuffer<Bool, UInt64> {
  static let fieldCount = 9

  /// The row that a statement stands on; the header is whether there is a rating.
  static func read(_ statement: OpaquePointer) -> FloorRow {
    let title = UnsafeRawPointer(sqlite3_column_text(statement, 1))
    let titleCount = Int(sqlite3_column_bytes(statement, 1))
    let isbn = UnsafeRawPointer(sqlite3_column_text(statement, 2))
    let isbnCount = Int(sqlite3_column_bytes(statement, 2))
    let cover = sqlite3_column_blob(statement, 7)
    let coverCount = Int(sqlite3_column_bytes(statement, 7))
    let fixed = fieldCount * 8
    let bytes = fixed + titleCount + isbnCount + coverCount
    let buffer = FloorRow.create(minimumCapacity: (bytes + 7) / 8) { _ in
      sqlite3_column_type(statement, 8) != SQLITE_NULL
    }
    buffer.withUnsafeMutablePointerToElements { words in
      let base = UnsafeMutableRawPointer(words)
      var tail = fixed
      for (field, start, count) in [(0, title, titleCount), (1, isbn, isbnCount), (6, cover, coverCount)] {
        if let start { (base + tail).copyMemory(from: start, byteCount: count) }
        words[field] = UInt64(tail) << 32 | UInt64(count)
        tail += count
      }
      words[2] = UInt64(bitPattern: sqlite3_column_int64(statement, 3))
      words[3] = sqlite3_column_double(statement, 4).bitPattern
      words[4] = sqlite3_column_double(statement, 5).bitPattern
      words[5] = UInt64(bitPattern: sqlite3_column_int64(statement, 6))
      words[7] = sqlite3_column_double(statement, 8).bitPattern
      words[8] = UInt64(bitPattern: sqlite3_column_int64(statement, 9))
    }
    return unsafeDowncast(buffer, to: FloorRow.self)
  }

  func word(_ field: Int) -> UInt64 { withUnsafeMutablePointerToElements { $0[field] } }

  func withBytes<R>(_ field: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    withUnsafeMutablePointerToElements { words in
      let start = UnsafeRawPointer(words) + Int(words[field] >> 32)
      return body(UnsafeRawBufferPointer(start: start, count: Int(words[field] & 0xFFFF_FFFF)))
    }
  }
}

/// Every object by its number, in the cheapest form there is.
final class FloorMap {
  let places: UnsafeMutablePointer<Unmanaged<FloorBook>?>
  private let count: Int

  init(_ count: Int) {
    self.count = count
    places = .allocate(capacity: count)
    places.initialize(repeating: nil, count: count)
  }

  deinit { places.deallocate() }

  /// The object of the row that a statement stands on.
  func book(_ statement: OpaquePointer) -> FloorBook {
    let reference = sqlite3_column_int64(statement, 0)
    if let known = places[Int(reference)] { return known.takeUnretainedValue() }
    return FloorBook(reference, FloorRow.read(statement), self)
  }
}

/// An object with identity whose values are made when they are read, and nothing else: no changes,
/// no validation, no relationships, no isolation.
final class FloorBook {
  let reference: Int64
  private let row: FloorRow
  private unowned(unsafe) let map: FloorMap

  init(_ reference: Int64, _ row: FloorRow, _ map: FloorMap) {
    self.reference = reference
    self.row = row
    self.map = map
    map.places[Int(reference)] = .passUnretained(self)
  }

  deinit { map.places[Int(reference)] = nil }

  var title: String { row.withBytes(0) { String(decoding: $0, as: UTF8.self) } }
  var isbn: String { row.withBytes(1) { String(decoding: $0, as: UTF8.self) } }
  var pages: Int64 { Int64(bitPattern: row.word(2)) }
  var price: Double { Double(bitPattern: row.word(3)) }
  var published: Date { Date(timeIntervalSinceReferenceDate: Double(bitPattern: row.word(4))) }
  var inPrint: Bool { row.word(5) != 0 }
  var cover: Data { row.withBytes(6) { Data($0) } }
  var rating: Double? { row.header ? Double(bitPattern: row.word(7)) : nil }
  var author: Int64 { Int64(bitPattern: row.word(8)) }

  func add(to sum: inout Checksum) {
    sum.add(reference)
    sum.add(title)
    sum.add(isbn)
    sum.add(pages)
    sum.add(price)
    sum.add(published.timeIntervalSinceReferenceDate)
    sum.add(inPrint ? 1 : 0 as Int64)
    cover.withUnsafeBytes { sum.add($0) }
    if let rating { sum.add(rating) } else { sum.add(-1 as Int64) }
    sum.add(author)
  }
}
