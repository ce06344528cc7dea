import BenchKit
import CLimit
import CSQLCipherLimit
import Foundation

/// What Codable itself costs: decoders and encoders that take the columns as they come, compare no
/// name and convert nothing.
struct FloorRecords {
  private let store: OpaquePointer
  private let workload: Workload

  init(_ store: OpaquePointer, _ workload: Workload) {
    self.store = store
    self.workload = workload
  }

  func perform(_ phase: Phase) throws -> UInt64 {
    switch phase {
    case .pushRecords: return try pushAll()
    case .recordByKey: return try byKey()
    default: return try fetchAll()
    }
  }

  private func fetchAll() throws -> UInt64 {
    let statement = try floorStatement(store, 0, "SELECT \(floorColumns) FROM book b ORDER BY b.id")
    let decoder = FloorDecoder(statement)
    var books: [RecordBook] = []
    while sqlite3_step(statement) == SQLITE_ROW { books.append(try decoder.book()) }
    sqlite3_reset(statement)
    var sum = Checksum()
    for book in books { book.add(to: &sum) }
    return sum.value
  }

  private func byKey() throws -> UInt64 {
    let statement = try floorStatement(store, 1, "SELECT \(floorColumns) FROM book b WHERE b.isbn = ?")
    let decoder = FloorDecoder(statement)
    var sum = Checksum()
    for number in workload.randomBooks(seed: 6) {
      bindText(floorISBN(number), to: statement, 1)
      if sqlite3_step(statement) == SQLITE_ROW { try decoder.book().add(to: &sum) }
      sqlite3_reset(statement)
    }
    return sum.value
  }

  private func pushAll() throws -> UInt64 {
    lm_run(
      store,
      "DROP INDEX book_isbn; DROP INDEX book_author; CREATE UNIQUE INDEX book_isbn ON book(isbn);"
        + " BEGIN IMMEDIATE")
    let statement = try floorStatement(store, 2, "INSERT OR REPLACE INTO book VALUES(?,?,?,?,?,?,?,?,?,?)")
    let encoder = FloorEncoder(statement)
    for index in 0..<workload.books {
      sqlite3_bind_int64(statement, 1, index + 1)
      try encoder.bind(RecordBook(index, workload))
      sqlite3_step(statement)
      sqlite3_reset(statement)
    }
    return lm_run(store, "COMMIT") == 0 ? 1 : 0
  }
}

private struct Refusal: Error {}

/// Decodes the row that a statement stands on, column after column.
private final class FloorDecoder: Decoder {
  let statement: OpaquePointer
  @exclusivity(unchecked) var column: Int32 = 0
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ statement: OpaquePointer) { self.statement = statement }

  func book() throws -> RecordBook {
    column = 0
    return try RecordBook(from: self)
  }

  func next() -> Int32 {
    column += 1
    return column
  }

  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(statement, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Fields(decoder: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Refusal() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Refusal() }

  private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: FloorDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool {
      sqlite3_column_type(decoder.statement, decoder.column + 1) == SQLITE_NULL
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
      String(decoding: decoder.bytes(decoder.next()), as: UTF8.self)
    }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
      sqlite3_column_int64(decoder.statement, decoder.next())
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
      sqlite3_column_double(decoder.statement, decoder.next())
    }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
      sqlite3_column_int64(decoder.statement, decoder.next()) != 0
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
      let column = decoder.next()
      if sqlite3_column_type(decoder.statement, column) == SQLITE_NULL { return nil }
      return sqlite3_column_double(decoder.statement, column)
    }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      let column = decoder.next()
      if type == Date.self {
        let seconds = sqlite3_column_double(decoder.statement, column)
        return unsafeBitCast(Date(timeIntervalSinceReferenceDate: seconds), to: type)
      }
      return unsafeBitCast(Data(decoder.bytes(column)), to: type)
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw Refusal() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Refusal() }
    func superDecoder() throws -> any Decoder { throw Refusal() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Refusal() }
  }
}

/// Binds a record's values, one after the other.
private final class FloorEncoder: Encoder {
  let statement: OpaquePointer
  @exclusivity(unchecked) var place: Int32 = 1
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ statement: OpaquePointer) { self.statement = statement }

  func bind(_ book: RecordBook) throws {
    place = 1
    // An absent optional is not encoded.
    sqlite3_bind_null(statement, 9)
    try book.encode(to: self)
  }

  func next() -> Int32 {
    place += 1
    return place
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Fields(encoder: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { fatalError("a record has keys") }
  func singleValueContainer() -> any SingleValueEncodingContainer { fatalError("a record has keys") }

  private struct Fields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: FloorEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { sqlite3_bind_null(encoder.statement, encoder.next()) }
    func encode(_ value: String, forKey key: Key) throws {
      bindText(value, to: encoder.statement, encoder.next())
    }
    func encode(_ value: Int64, forKey key: Key) throws {
      // The rating before the author may be absent.
      if encoder.place == 8 { encoder.place = 9 }
      sqlite3_bind_int64(encoder.statement, encoder.next(), value)
    }
    func encode(_ value: Double, forKey key: Key) throws {
      sqlite3_bind_double(encoder.statement, encoder.next(), value)
    }
    func encode(_ value: Bool, forKey key: Key) throws {
      sqlite3_bind_int64(encoder.statement, encoder.next(), value ? 1 : 0)
    }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      let place = encoder.next()
      if Value.self == Date.self {
        let date = unsafeBitCast(value, to: Date.self)
        sqlite3_bind_double(encoder.statement, place, date.timeIntervalSinceReferenceDate)
      } else {
        unsafeBitCast(value, to: Data.self).withUnsafeBytes {
          _ = sqlite3_bind_blob(
            encoder.statement, place, $0.baseAddress, Int32($0.count),
            unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
      }
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { fatalError("a record has no nested containers") }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      fatalError("a record has no nested containers")
    }
    func superEncoder() -> any Encoder { fatalError("a record has no nested containers") }
    func superEncoder(forKey key: Key) -> any Encoder { fatalError("a record has no nested containers") }
  }
}
