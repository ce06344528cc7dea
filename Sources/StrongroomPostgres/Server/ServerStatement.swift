import CLibPQ
import StoreContract

/// A statement with its parameters, and who is given its rows.
struct ServerStatement {
  /// What the server takes in one value.
  private static let longestParameter = 1 << 30

  let sql: String
  let parameters: ServerValues
  let body: (ServerRows) throws -> Void

  /// - Throws: `invalidValue` where the parameters are too long, each or together.
  func check() throws {
    if parameters.bytes.count + 4 * parameters.count > Self.longestParameter {
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

  /// Reads where each parameter is out of the lengths before them.
  private func withParameters(
    _ body: (
      UnsafeMutablePointer<UnsafePointer<CChar>?>?, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?
    ) -> Bool
  ) -> Bool {
    let count = parameters.count
    return parameters.bytes.withUnsafeBytes { bytes in
      withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count) { numbers in
          var next = 0
          for place in 0..<count {
            let length = Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: next, as: Int32.self))
            next += 4
            // A text of no bytes has an address, too: a parameter without one would be a null.
            let start = bytes.baseAddress.map { $0 + next }?.assumingMemoryBound(to: CChar.self)
            values.initializeElement(at: place, to: length < 0 ? nil : start)
            numbers.initializeElement(at: place, to: max(length, 0))
            numbers.initializeElement(at: count + place, to: 1)
            next += Int(max(length, 0))
          }
          let start = numbers.baseAddress
          return body(values.baseAddress, start, start.map { $0 + count })
        }
      }
    }
  }
}
