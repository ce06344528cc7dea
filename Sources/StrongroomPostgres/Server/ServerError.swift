import CLibPQ
public import StoreContract

/// What the server, or the connection to it, refused.
///
/// Without the server's message, which may quote stored values.
struct ServerError: Error, CustomStringConvertible {
  /// The five characters of SQLSTATE (postgresql.org, "PostgreSQL Error Codes"); empty where the server did
  /// not answer.
  let state: String
  /// The constraint that is concerned.
  let constraint: String?
  /// The text of a connection that could not be made, or was lost.
  let connectionMessage: String?

  init(_ result: OpaquePointer?, _ connection: OpaquePointer) {
    func field(_ code: UInt8) -> String? {
      PQresultErrorField(result, Int32(code)).map { String(cString: $0) }
    }
    state = field(UInt8(ascii: "C")) ?? ""
    constraint = field(UInt8(ascii: "n"))
    connectionMessage = state.isEmpty ? Self.message(connection) : nil
  }

  /// - Parameter connection: A connection that could not be made.
  init(connection: OpaquePointer) {
    (state, constraint, connectionMessage) = ("", nil, Self.message(connection))
  }

  private static func message(_ connection: OpaquePointer) -> String {
    PQerrorMessage(connection).map { String(cString: $0) }?
      .split(whereSeparator: \.isNewline).joined(separator: " ") ?? "no message"
  }

  /// Whether the connection is of no more use.
  var isConnectionLost: Bool { state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") }

  /// Whether the same transaction may succeed when it is tried again: a deadlock or a serialization
  /// failure.
  var isTransient: Bool { state == "40001" || state == "40P01" }

  /// Whether a unique or an exclusion constraint is broken.
  var isNotUnique: Bool { state == "23505" || state == "23P01" }

  var description: String {
    connectionMessage ?? "SQLSTATE \(state)" + (constraint.map { ", constraint \($0)" } ?? "")
  }

  /// As a store says it.
  var storeError: StoreError {
    switch state {
    case "": StoreError(.serverUnreachable, "the server does not answer; try again when it does", cause: self)
    case "53100": StoreError(.diskFull, "the server's disk is full; make room and save again", cause: self)
    case "53300": StoreError(.busy, "the server takes no more connections; try again", cause: self)
    case "40001", "40P01", "55P03", "57014":
      StoreError(.busy, "the server gave the transaction up for others; try again", cause: self)
    case "25006", "42501":
      StoreError(
        .readOnly, "the server does not let this user write; grant it, or open read-only", cause: self)
    case "28000", "28P01": StoreError(.wrongKey, "the server refuses the user or the password", cause: self)
    case "54000":
      StoreError(
        .invalidValue, "a value is too long for the server's index; unique texts take 2,700 bytes",
        cause: self)
    case "22021", "22P05":
      StoreError(.invalidValue, "a text has characters that the server cannot store", cause: self)
    default:
      isConnectionLost
        ? StoreError(.serverUnreachable, "the connection to the server was lost; try again", cause: self)
        : StoreError(.other, "the server refused a statement", cause: self)
    }
  }
}

extension StoreError.Code {
  /// The server does not answer, or the connection to it was lost.
  public static let serverUnreachable = Self("serverUnreachable")
}
