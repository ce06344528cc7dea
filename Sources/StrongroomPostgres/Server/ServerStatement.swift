import CLibPQ
import StoreContract

/// A statement with its parameters, and who is given its rows.
struct ServerStatement {
  /// What the server takes in one value.
  private static let longestParameter = 1 << 30

  let sql: String
  let parameters: [ServerParameter]
  let body: (ServerRows) throws -> Void

  /// - Throws: `invalidValue` where the parameters are too long, each or together.
  func check() throws {
    if parameters.reduce(0, { $0 + $1.bytes.count + 8 }) > Self.longestParameter {
      throw StoreError(
        .invalidValue,
        "the server takes 1 GB at once, of one object or of one property of many; save in parts")
    }
  }

  /// Sends it; in pipeline mode it is executed when that is synchronized.
  ///
  /// - Parameters:
  ///   - handle: The connection.
  ///   - name: What it is prepared as.
  ///   - preparing: Whether it is still to be prepared.
  /// - Returns: Whether libpq took it.
  func send(to handle: OpaquePointer, as name: String, preparing: Bool) -> Bool {
    if preparing, PQsendPrepare(handle, name, sql, 0, nil) != 1 { return false }
    return withParameters { values, lengths, formats in
      PQsendQueryPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1) == 1
    }
  }

  private func withParameters<R>(_ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> R) -> R {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(parameters.reduce(1) { $0 + $1.bytes.count })
    for parameter in parameters { bytes += parameter.bytes }
    // Without an address, a parameter of no bytes would be a null.
    bytes.append(0)
    let lengths = parameters.map { Int32($0.bytes.count) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    return bytes.withUnsafeBytes { bytes in
      var next = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let values = parameters.map { parameter in
        defer { next = next.map { $0 + parameter.bytes.count } }
        return parameter.isNull ? nil : next
      }
      return body(values, lengths, formats)
    }
  }
}
