import CSQLCipher

/// A list to be bound as one parameter: of integers, `SELECT value FROM _integers(?)`, or of other
/// values, `SELECT any FROM _integers(?)`.
package final class IntegerArray: Sendable {
  package let values: [Int64]
  let others: [FunctionResult]

  package init(_ values: [Int64]) {
    self.values = values
    others = []
  }

  package init(others: [FunctionResult]) {
    values = []
    self.others = others
  }

  var count: Int { others.isEmpty ? values.count : others.count }
}

/// The lists that are bound on a connection now, by handle.
///
/// A statement carries a handle and never an address, so that no number in SQL can make the library
/// read memory.
final class IntegerArrayRegistry {
  private var arrays: [Int64: IntegerArray] = [:]
  private var last: Int64 = 0

  func add(_ array: IntegerArray) -> Int64 {
    last += 1
    arrays[last] = array
    return last
  }

  func remove(_ handle: Int64) { arrays[handle] = nil }

  func array(_ handle: Int64) -> IntegerArray? { arrays[handle] }
}

/// The table-valued function `_integers(handle)` with the columns `value`, `position` (from 0) and
/// `any`, which has no affinity and so leaves what is beside it in a comparison as it is.
enum IntegerArrayModule {
  /// One open walk over a list; C sees the struct, whose first member must be SQLite's own.
  private struct Cursor {
    var base = sqlite3_vtab_cursor()
    var array: Unmanaged<IntegerArray>?
    var start: UnsafePointer<Int64>?
    var position = 0
    var count = 0
  }

  private struct Table {
    var base = sqlite3_vtab()
    var registry: UnsafeMutableRawPointer?
  }

  // Written once here and only read by SQLite after.
  nonisolated(unsafe) private static let module: UnsafeMutablePointer<sqlite3_module> = {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    module.initialize(to: sqlite3_module())
    module.pointee.xConnect = { database, registry, _, _, table, _ in
      let result = sqlite3_declare_vtab(
        database, "CREATE TABLE x(value INTEGER, position INTEGER, handle INTEGER HIDDEN, any)")
      guard result == SQLITE_OK else { return result }
      let new = UnsafeMutablePointer<Table>.allocate(capacity: 1)
      new.initialize(to: Table(registry: registry))
      table?.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    module.pointee.xDisconnect = { table in
      UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self).deallocate()
      return SQLITE_OK
    }
    module.pointee.xBestIndex = { _, info in bestIndex(info) }
    module.pointee.xOpen = { _, cursor in
      let new = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
      new.initialize(to: Cursor())
      cursor?.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.pointee.xClose = { cursor in
      guard let cursor = pointer(cursor) else { return SQLITE_OK }
      cursor.pointee.array?.release()
      cursor.deallocate()
      return SQLITE_OK
    }
    module.pointee.xFilter = { cursor, _, _, count, values in filter(cursor, count, values) }
    module.pointee.xNext = { cursor in
      pointer(cursor)?.pointee.position += 1
      return SQLITE_OK
    }
    module.pointee.xEof = { cursor in
      guard let cursor = pointer(cursor) else { return 1 }
      return cursor.pointee.position >= cursor.pointee.count ? 1 : 0
    }
    module.pointee.xColumn = { cursor, context, column in
      guard let cursor = pointer(cursor) else { return SQLITE_OK }
      let position = cursor.pointee.position
      switch column {
      case 0:
        guard let start = cursor.pointee.start else { return SQLITE_OK }
        sqlite3_result_int64(context, start[position])
      case 1: sqlite3_result_int64(context, Int64(position))
      case 3:
        let list = cursor.pointee.array?.takeUnretainedValue()
        if let list, position < list.others.count { list.others[position].set(context) }
      default: sqlite3_result_null(context)
      }
      return SQLITE_OK
    }
    module.pointee.xRowid = { cursor, row in
      row?.pointee = Int64(pointer(cursor)?.pointee.position ?? 0)
      return SQLITE_OK
    }
    return module
  }()

  private static func pointer(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<
    Cursor
  >? {
    UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: Cursor.self)
  }

  private static func bestIndex(_ info: UnsafeMutablePointer<sqlite3_index_info>?) -> Int32 {
    guard let info else { return SQLITE_ERROR }
    for index in 0..<Int(info.pointee.nConstraint) {
      let constraint = info.pointee.aConstraint[index]
      guard constraint.iColumn == 2, constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ) else { continue }
      if constraint.usable == 0 { return SQLITE_CONSTRAINT }
      info.pointee.aConstraintUsage[index].argvIndex = 1
      info.pointee.aConstraintUsage[index].omit = 1
      // Few rows at little cost, so that the list drives the loop and the tables are looked into by
      // key.
      info.pointee.estimatedCost = 10
      info.pointee.estimatedRows = 25
      return SQLITE_OK
    }
    return SQLITE_CONSTRAINT
  }

  private static func filter(
    _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ count: Int32,
    _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) -> Int32 {
    guard count == 1, let value = values?.pointee, let raw = cursor?.pointee.pVtab,
      let cursor = pointer(cursor),
      let registry = UnsafeMutableRawPointer(raw).assumingMemoryBound(to: Table.self).pointee.registry
    else { return SQLITE_ERROR }
    cursor.pointee.array?.release()
    cursor.pointee.array = nil
    let arrays = Unmanaged<IntegerArrayRegistry>.fromOpaque(registry).takeUnretainedValue()
    guard let array = arrays.array(sqlite3_value_int64(value)) else { return SQLITE_ERROR }
    cursor.pointee.array = .passRetained(array)
    // An array of a retained, immutable object keeps its place.
    cursor.pointee.start =
      array.others.isEmpty ? array.values.withUnsafeBufferPointer { $0.baseAddress } : nil
    cursor.pointee.position = 0
    cursor.pointee.count = array.count
    return SQLITE_OK
  }

  static func register(on connection: Connection) throws(CipherError) {
    let registry = Unmanaged.passUnretained(connection.arrays).toOpaque()
    let result = sqlite3_create_module_v2(connection.database, "_integers", module, registry, nil)
    guard result == SQLITE_OK else { throw connection.failure(result, nil) }
  }
}
