import CSQLCipher

/// A function over the bytes of a group's rows; null rows are left out.
package struct AggregateFunction: Sendable {
  /// What one group has come to.
  package protocol Group: AnyObject {
    func add(_ bytes: UnsafeRawBufferPointer)
    /// The answer; nil for null.
    func finish() -> [UInt8]?
  }

  package let name: String
  fileprivate let begin: @Sendable () -> any Group

  package init(_ name: String, _ begin: @escaping @Sendable () -> any Group) {
    self.name = name
    self.begin = begin
  }

  func register(on connection: Connection) throws(CipherError) {
    let box = Unmanaged.passRetained(Box(begin)).toOpaque()
    let result = sqlite3_create_function_v2(
      connection.database, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, box, nil,
      { context, _, values in
        guard let value = values?.pointee, sqlite3_value_type(value) != SQLITE_NULL,
          let group = AggregateFunction.group(context)
        else { return }
        let bytes = sqlite3_value_blob(value)
        group.add(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))))
      },
      { context in
        let group = AggregateFunction.group(context)
        guard let answer = group?.finish() else { return sqlite3_result_null(context) }
        answer.withUnsafeBytes {
          sqlite3_result_blob(
            context, $0.baseAddress, Int32($0.count), Statement.transient)
        }
        AggregateFunction.release(context)
      }, { if let box = $0 { Unmanaged<Box>.fromOpaque(box).release() } })
    guard result == SQLITE_OK else { throw connection.failure(result, nil) }
  }

  private final class Box: Sendable {
    let begin: @Sendable () -> any Group
    init(_ begin: @escaping @Sendable () -> any Group) { self.begin = begin }
  }

  private final class Holder {
    let group: any Group
    init(_ group: any Group) { self.group = group }
  }

  /// SQLite keeps a pointer for each group, zero at first.
  private static func slot(_ context: OpaquePointer?) -> UnsafeMutablePointer<Unmanaged<Holder>?>? {
    sqlite3_aggregate_context(context, Int32(MemoryLayout<Unmanaged<Holder>?>.size))?
      .assumingMemoryBound(to: Unmanaged<Holder>?.self)
  }

  private static func group(_ context: OpaquePointer?) -> (any Group)? {
    guard let slot = slot(context), let raw = sqlite3_user_data(context) else { return nil }
    if let known = slot.pointee { return known.takeUnretainedValue().group }
    let new = Holder(Unmanaged<Box>.fromOpaque(raw).takeUnretainedValue().begin())
    slot.pointee = .passRetained(new)
    return new.group
  }

  private static func release(_ context: OpaquePointer?) {
    guard let slot = slot(context) else { return }
    slot.pointee?.release()
    slot.pointee = nil
  }
}
