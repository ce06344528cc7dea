public import StoreContract

/// What a server has to have, so that the store's guarantees hold: others speak PostgreSQL's protocol, and
/// leave out some of it without an error.
struct ServerRequirements {
  private static let leastVersion: Int64 = 130_000

  let connection: ServerConnection

  /// To be called in a transaction, before it makes anything.
  ///
  /// Two statements.
  /// - Throws: `unsupportedServer`; `other` for a database of another encoding.
  func check() throws {
    let rows = try connection.run(
      "SELECT current_setting('server_encoding'), current_setting('server_version_num')::bigint,"
        + " pg_is_in_recovery(), current_setting('session_replication_role') = 'origin'")
    guard rows.number(0, 1) >= Self.leastVersion else {
      throw StoreError(.unsupportedServer, "the server is older than PostgreSQL 13; update it")
    }
    let encoding = rows.text(0, 0)
    guard encoding == "UTF8" else {
      throw StoreError(.other, "the database stores texts as \(encoding); make one with the encoding UTF8")
    }
    guard rows.boolean(0, 3) else {
      throw StoreError(
        .other,
        "this user's session_replication_role has the server check no uniqueness; set it to origin")
    }
    // Both hold from the commit on, so neither does anything. A standby takes neither.
    if !rows.boolean(0, 2) { try connection.execute("LISTEN strongroom; UNLISTEN strongroom") }
  }

  /// To be called when the transaction has an advisory lock, which some servers take for none.
  ///
  /// One statement.
  /// - Throws: `unsupportedServer`.
  func checkLock() throws {
    let rows = try connection.run(
      "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())")
    if rows.boolean(0, 0) { return }
    throw StoreError(
      .unsupportedServer,
      "the server has no advisory locks, by which one of several programs makes and migrates a store; use a"
        + " PostgreSQL server")
  }

  /// Runs statements that every PostgreSQL server knows.
  /// - Throws: `unsupportedServer` where it does not know one.
  static func known<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as ServerError where error.isUnknown {
      throw StoreError(
        .unsupportedServer,
        "the server does not know a statement that every PostgreSQL from version 13 on does; use such a"
          + " server", cause: error)
    }
  }
}

extension StoreError.Code {
  /// The server speaks PostgreSQL's protocol and lacks what a store needs, or something between it and the
  /// program does.
  public static let unsupportedServer = Self("unsupportedServer")
}
