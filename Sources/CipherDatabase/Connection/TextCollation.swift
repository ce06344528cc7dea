import CSQLCipher

/// An order of texts that statements of a connection can name behind COLLATE.
package struct TextCollation: Sendable {
  package typealias Compare = @Sendable (String, String) -> Int

  package let name: String
  private let compare: Compare

  /// - `compare`: -1, 0 or 1.
  package init(_ name: String, _ compare: @escaping Compare) {
    self.name = name
    self.compare = compare
  }

  func register(on connection: Connection) throws(CipherError) {
    let box = Unmanaged.passRetained(Box(compare)).toOpaque()
    let result = sqlite3_create_collation_v2(
      connection.database, name, SQLITE_UTF8, box,
      { raw, leftCount, left, rightCount, right in
        guard let raw else { return 0 }
        let a = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
        let b = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
        return Int32(
          Unmanaged<Box>.fromOpaque(raw).takeUnretainedValue().compare(
            String(decoding: a, as: UTF8.self), String(decoding: b, as: UTF8.self)))
      }, { if let box = $0 { Unmanaged<Box>.fromOpaque(box).release() } })
    guard result == SQLITE_OK else {
      // Unlike functions, a collation that could not be made does not release its context.
      Unmanaged<Box>.fromOpaque(box).release()
      throw connection.failure(result, nil)
    }
  }

  private final class Box: Sendable {
    let compare: Compare
    init(_ compare: @escaping Compare) { self.compare = compare }
  }
}
