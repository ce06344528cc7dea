import CSQLCipher

/// A function that statements of a connection can call.
package struct ScalarFunction: Sendable {
  package typealias Body = @Sendable (FunctionArguments) -> FunctionResult

  package let name: String
  /// -1 for any number.
  package let argumentCount: Int32
  package let isDeterministic: Bool
  fileprivate let body: Body

  /// A function of values.
  ///
  /// By default the same values always give the same answer.
  package init(_ name: String, arguments: Int32, isDeterministic: Bool = true, _ body: @escaping Body) {
    self.name = name
    argumentCount = arguments
    self.isDeterministic = isDeterministic
    self.body = body
  }

  /// Lets a connection's statements call the function from now on.
  package func register(on connection: Connection) throws(CipherError) {
    let box = Unmanaged.passRetained(Box(body)).toOpaque()
    let flags = SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
    let result = sqlite3_create_function_v2(
      connection.database, name, argumentCount, flags, box,
      { context, count, values in
        guard let raw = sqlite3_user_data(context) else { return sqlite3_result_null(context) }
        let box = Unmanaged<Box>.fromOpaque(raw)
        box._withUnsafeGuaranteedRef { box in
          box.body(FunctionArguments(count: Int(count), values: values)).set(context)
        }
      }, nil, nil, { if let box = $0 { Unmanaged<Box>.fromOpaque(box).release() } })
    guard result == SQLITE_OK else { throw connection.failure(result, nil) }
  }

  private final class Box: Sendable {
    let body: Body
    init(_ body: @escaping Body) { self.body = body }
  }
}

/// The values that SQL hands to a function, for as long as it runs.
package struct FunctionArguments {
  package let count: Int
  fileprivate let values: UnsafeMutablePointer<OpaquePointer?>?

  package enum Kind { case null, integer, real, text, blob }

  init(count: Int, values: UnsafeMutablePointer<OpaquePointer?>?) {
    self.count = count
    self.values = values
  }

  private func value(_ place: Int) -> OpaquePointer? { place < count ? values?[place] : nil }

  package func kind(_ place: Int) -> Kind {
    guard let value = value(place) else { return .null }
    return switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  package func integer(_ place: Int) -> Int64 { value(place).map { sqlite3_value_int64($0) } ?? 0 }

  package func real(_ place: Int) -> Double { value(place).map { sqlite3_value_double($0) } ?? 0 }

  /// The bytes of a text or blob.
  package func bytes(_ place: Int) -> UnsafeRawBufferPointer {
    guard let value = value(place) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let start =
      sqlite3_value_type(value) == SQLITE_TEXT
      ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }

  package func text(_ place: Int) -> String { String(decoding: bytes(place), as: UTF8.self) }
}

/// What a function answers.
package enum FunctionResult: Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  /// The statement fails with this message.
  case failure(String)

  func set(_ context: OpaquePointer?) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let integer): sqlite3_result_int64(context, integer)
    case .real(let real): sqlite3_result_double(context, real)
    case .text(var text):
      text.withUTF8 { utf8 in
        let start = utf8.baseAddress.map { UnsafeRawPointer($0) } ?? UnsafeRawPointer(Statement.nothing)
        sqlite3_result_text64(
          context, start.assumingMemoryBound(to: CChar.self), UInt64(utf8.count), Statement.transient,
          UInt8(SQLITE_UTF8))
      }
    case .blob(let bytes):
      bytes.withUnsafeBytes { bytes in
        if bytes.isEmpty {
          sqlite3_result_zeroblob(context, 0)
        } else {
          sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), Statement.transient)
        }
      }
    case .failure(let message): sqlite3_result_error(context, message, -1)
    }
  }
}
