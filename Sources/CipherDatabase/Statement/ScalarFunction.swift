import CSQLCipher

/// A function that statements of a connection can call.
package struct ScalarFunction: Sendable {
  package let name: String
  fileprivate let body: @Sendable (String) -> String

  /// A function of one text; null stays null. The same text always gives the same answer.
  package init(_ name: String, _ body: @escaping @Sendable (String) -> String) {
    self.name = name
    self.body = body
  }

  func register(on connection: Connection) throws(CipherError) {
    let box = Unmanaged.passRetained(Box(body)).toOpaque()
    let result = sqlite3_create_function_v2(
      connection.database, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, box,
      { context, _, values in
        guard let value = values?.pointee, let text = sqlite3_value_text(value),
          let raw = sqlite3_user_data(context)
        else { return sqlite3_result_null(context) }
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
        let body = Unmanaged<Box>.fromOpaque(raw).takeUnretainedValue().body
        var answer = body(String(decoding: bytes, as: UTF8.self))
        answer.withUTF8 { utf8 in
          utf8.withMemoryRebound(to: CChar.self) {
            sqlite3_result_text(
              context, $0.baseAddress, Int32($0.count), Statement.transient)
          }
        }
      }, nil, nil, { if let box = $0 { Unmanaged<Box>.fromOpaque(box).release() } })
    guard result == SQLITE_OK else { throw connection.failure(result, nil) }
  }

  private final class Box: Sendable {
    let body: @Sendable (String) -> String
    init(_ body: @escaping @Sendable (String) -> String) { self.body = body }
  }
}
