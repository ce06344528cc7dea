import CLibPQ
public import StoreContract
import StoreKeyring

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
  /// What would have been needed for a connection, and is not in the address, nor where libpq looks.
  var missing: ServerAccount.Purpose?
  /// Whether a server refused a connection for a reason that is not known: its words are in another language.
  private(set) var isUnknownRefusal = false
  /// Whether a function on the server failed, such as that of a trigger: the context names its language.
  private var isOfFunction = false
  /// Whether the server ended the connection with it.
  private var isBroken = false

  init(_ result: OpaquePointer?, _ connection: OpaquePointer) {
    func field(_ code: UInt8) -> String? {
      PQresultErrorField(result, Int32(code)).map { String(cString: $0) }
    }
    state = field(UInt8(ascii: "C")) ?? ""
    constraint = field(UInt8(ascii: "n"))
    connectionMessage = state.isEmpty ? Self.message(connection) : nil
    isOfFunction = field(UInt8(ascii: "W"))?.contains("PL/") == true
    // After the last two the server ends the connection, or itself: what it did before stays done.
    isBroken =
      PQstatus(connection) == CONNECTION_BAD || ["FATAL", "PANIC"].contains(field(UInt8(ascii: "V")) ?? "")
  }

  /// A statement whose answer does not come.
  static let silent = ServerError(
    state: "", constraint: nil, connectionMessage: "the server, or the network to it, does not answer")

  /// A transaction that the server rolled back where a commit was asked for: a statement in it had failed.
  static let rolledBack = ServerError(state: "25P02", constraint: nil, connectionMessage: nil)

  private init(state: String, constraint: String?, connectionMessage: String?) {
    (self.state, self.constraint, self.connectionMessage) = (state, constraint, connectionMessage)
  }

  /// - Parameter connection: A connection that could not be made.
  init(connection: OpaquePointer) {
    let message = Self.message(connection)
    let isRefused =
      PQconnectionNeedsPassword(connection) == 1 || PQconnectionUsedPassword(connection) == 1
    // libpq's message of a connection that is not made has the state where it is asked for, see
    // `ServerConnection`; else its texts are looked at, where they are known.
    let known = [
      // It names the database, which may be there.
      ("pg_hba.conf", "28000"), ("not currently accepting connections", "57P03"),
      // The state of a setting in the address is this store's own.
      (" value: \"", "address"), ("invalid integer value", "address"), ("invalid port number", "address"),
      ("definition of service", "address"), ("permission denied", "28000"),
      ("too many", "53300"), ("remaining connection slots", "53300"), ("role \"", "28000"),
      ("database \"", "3D000"), ("SSL was required", "08P01"), ("certificate", "08P01"),
      ("hot standby", "57P03"), ("read-only", "57P03"), ("system is", "57P03"),
    ]
    let state = Self.stateOfRefusal(message) ?? known.first { message.contains($0.0) }?.1
    self.init(state: state ?? (isRefused ? "28P01" : ""), constraint: nil, connectionMessage: message)
    isUnknownRefusal = state == nil && message.contains(":  ")
    if PQconnectionNeedsPassword(connection) == 1 {
      missing = .password
    } else if message.contains("could not load private key file") {
      missing = .clientKey
    }
  }

  private static func message(_ connection: OpaquePointer) -> String {
    PQerrorMessage(connection).map { String(cString: $0) }?
      .split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("LOCATION:") }
      .map { $0.drop(while: \.isWhitespace) }.joined(separator: " ") ?? "no message"
  }

  /// The SQLSTATE in a verbose message of a refused connection, as the text in English would be read.
  private static func stateOfRefusal(_ message: String) -> String? {
    let states = [
      "28000": "28000", "28P01": "28P01", "42501": "28000", "3D000": "3D000", "53300": "53300",
      "57P03": "57P03", "55000": "57P03",
    ]
    return message.matches(of: #/: {2}([0-9A-Z]{5}): /#).lazy.compactMap { states[String($0.1)] }.first
  }

  /// Whether the connection is of no more use.
  var isConnectionLost: Bool {
    isBroken || state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P")
  }

  /// Whether the same transaction may succeed when it is tried again: a deadlock or a serialization
  /// failure.
  var isTransient: Bool { state == "40001" || state == "40P01" }

  /// Whether a value is refused: its form, a constraint, or its length.
  var isOfValue: Bool { ["22", "23", "54"].contains(state.prefix(2)) }

  /// Whether what a statement says is refused, of its values or of the tables, which may be others than when
  /// it was prepared.
  var isOfStatement: Bool { isOfValue || ["0A", "42"].contains(state.prefix(2)) }

  /// Whether the server does not know a statement, a function or a type.
  var isUnknown: Bool { ["0A000", "42601", "42704", "42883", "42P01"].contains(state) }

  /// Whether the server does not have the statements that were prepared on the connection: a pooler uses
  /// another server connection for each transaction, or `DEALLOCATE ALL` was executed.
  var isOfPreparedStatement: Bool { state == "26000" || state == "42P05" }

  /// Whether a snapshot is not there any more.
  var isUnknownSnapshot: Bool { state == "22023" || state == "42704" }

  /// Whether the server takes no more connections.
  var isFull: Bool { state == "53300" }

  /// Whether a standby refuses what only a primary does.
  var isOfStandby: Bool { state == "25006" }

  /// Whether a lock was not given in time.
  var isLockTimeout: Bool { state == "55P03" }

  /// Whether there is no table of a name.
  var isOfMissingTable: Bool { state == "42P01" }

  /// Whether the user has not the right to it.
  var isDenied: Bool { state == "42501" }

  /// Whether a unique or an exclusion constraint is broken.
  var isNotUnique: Bool { state == "23505" || state == "23P01" }

  var description: String {
    connectionMessage ?? "SQLSTATE \(state)" + (constraint.map { ", constraint \($0)" } ?? "")
  }

  /// As a store says it.
  var storeError: StoreError {
    if isOfFunction, state == "22012" {
      return StoreError(
        .other, "a trigger on the server divides by zero: correct it; nothing was saved", cause: self)
    }
    if let known = Self.known[state] ?? Self.known[String(state.prefix(2))] {
      return StoreError(known.code, known.message, cause: self)
    }
    return isConnectionLost
      ? StoreError(.serverUnreachable, "the connection to the server was lost; try again", cause: self)
      : StoreError(.other, "the server refused a statement", cause: self)
  }

  /// By the state, or by its first two characters, its class.
  private static let known: [String: (code: StoreError.Code, message: String)] = [
    "address": (
      .invalidValue, "the address has a setting that libpq does not take; see its list of parameters"
    ),
    "": (.serverUnreachable, "the server does not answer; try again when it does"),
    "08P01": (
      .serverUnreachable,
      "the server has no TLS, or no certificate that is valid for its name and signed by an authority that is"
        + " known here; name the authority's file with sslrootcert in the address, or allow less with sslmode"
    ),
    // A save that finds anything else than it expects is made again; other statements divide by whether the
    // model has the version it is to have.
    "22012": (StoreError.movedOn.code, StoreError.movedOn.message),
    "2BP01": (
      .schemaMismatch,
      "a view or a key that the store did not make depends on a table that it changes; remove it, open the"
        + " store, and make it again"
    ),
    "42P07": (
      .schemaMismatch,
      "the schema has something by the name of a table that the store makes; rename it, or use another schema"
    ),
    "26000": (.unsupportedServer, others), "42P05": (.unsupportedServer, others),
    "25006": (
      .readOnly,
      "the server takes no writes: it is a standby, or default_transaction_read_only is on for the user, the"
        + " database or the server; connect to the primary, or have it set off"
    ),
    "42501": (.readOnly, denial),
    "25P03": (.busy, waited), "25P04": (.busy, waited),
    "25P02": (.other, "nothing was saved: a statement of the save had failed before"),
    "28": (
      .wrongKey,
      "the server refuses the user or the password, which is the one of the address, of PGPASSWORD, of the"
        + " password file or of the vaults, in this order; correct it there (a program does so in a"
        + " vault with PostgresStore.setPassword)"
    ),
    "3D000": (.fileMissing, "the server has no database of that name; make it, or name another"),
    "22021": (.invalidValue, characters), "22P05": (.invalidValue, characters),
    "40": (.busy, waiting), "55P03": (.busy, waiting),
    "57014": (.busy, "the server ended a statement that was cancelled or took too long; try again"),
    "0A": (.schemaMismatch, otherTables), "42": (.schemaMismatch, otherTables),
    "53100": (.diskFull, "the server's disk is full; make room and save again"),
    "53300": (.busy, "the server takes no more connections; try again"),
    "57P03": (
      .serverUnreachable,
      "the server is starting or stopping, or is a standby, which takes no writes; try again when there is a"
        + " primary, or open the store read-only"
    ),
    "54000": (
      .invalidValue,
      "a value or a row is too long for the server: unique texts take 2,700 bytes, the numbers"
        + " and short texts of an object 8,000 together"
    ),
    "54011": (
      .invalidValue, "the server takes 1,600 properties of an entity and its subentities; divide it"
    ),
  ]
  private static let otherTables =
    "the tables on the server are not as the store made them; restore them, or use another schema"
  private static let others =
    "the statements that a connection prepared are not there, or others': a pool gives it connections of the"
    + " server in turn; address the PostgreSQL server itself, or have the pool give each client a connection"
    + " of its own"
  private static let denial =
    "the server does not let this user do that: the store takes the rights to select, insert, update and"
    + " delete, or to select alone where it is open read-only; without row-level security"
  private static let characters = "a text has characters that the server cannot store"
  private static let waited =
    "the server ended a transaction that it has no time for; save less at once, or raise"
    + " idle_in_transaction_session_timeout or transaction_timeout for this user"
  private static let waiting = "the server gave the transaction up for others; try again"
}

extension StoreError {
  /// Without libpq's words, which would quote the address, and a password in it.
  static let unreadableAddress = StoreError(
    .invalidValue,
    "the address is none that libpq takes; write it as postgresql://user@host:port/database?name=value")

  /// Rows that were copied are not all there.
  static let suppressed = StoreError(
    .schemaMismatch,
    "a trigger or a rule on the server keeps rows from being stored; remove it, nothing was saved")

  /// A transaction that the server gave up, and that cannot be made again by itself.
  static let givenUp = StoreError(
    .busy, "the server gave the transaction up for others, and nothing of it is stored; try again")

  /// Another program migrated the store while this one had it open.
  static let movedOn = StoreError(
    .modelMismatch,
    "another program moved the store to another version of its model; open it again with that version")
}

extension StoreError.Code {
  /// The server does not answer, or the connection to it was lost.
  public static let serverUnreachable = Self("serverUnreachable")
}
