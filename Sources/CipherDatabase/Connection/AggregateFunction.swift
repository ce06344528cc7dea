import CSQLCipher

/// A function over a group's rows.
package struct AggregateFunction: Sendable {
  /// What one group has come to.
  package protocol Group: AnyObject {
    /// Takes a row in.
    func add(_ row: FunctionArguments)
    func finish() -> FunctionResult
  }

  package let name: String
  package let argumentCount: Int32
  fileprivate let begin: @Sendable () -> any Group

  package init(_ name: String, arguments: Int32, _ begin: @escaping @Sendable () -> any Group) {
    self.name = name
    argumentCount = arguments
    self.begin = begin
  }

  func register(on connection: Connection) throws(CipherError) {
    let box = Unmanaged.passRetained(Box(begin)).toOpaque()
    let result = sqlite3_create_function_v2(
      connection.database, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC, box, nil,
      { context, count, values in
        AggregateFunction.group(context)?.add(FunctionArguments(count: Int(count), values: values))
      },
      { context in
        // A group of no rows begins here.
        guard let group = AggregateFunction.group(context) else { return sqlite3_result_null(context) }
        group.finish().set(context)
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
