/// Which server a connection leads to.
struct ServerIdentity {
  /// One row of texts.
  static let statement =
    "SELECT pid, \(ServerProcess.start), (SELECT system_identifier FROM pg_control_system()),"
    + " CASE WHEN pg_is_in_recovery() THEN NULL ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END"
    + " FROM pg_stat_activity WHERE pid = pg_backend_pid()"

  /// The process of the server that has the connection.
  let process: ServerProcess
  /// What a primary and its standbys have in common.
  let cluster: String
  /// Rises each time a standby becomes the primary; nil for a standby.
  let timeline: Int?

  init?(_ rows: ServerRows) {
    guard rows.count == 1, let number = Int32(rows.text(0, 0)) else { return nil }
    process = ServerProcess(number: number, start: rows.text(0, 1))
    cluster = rows.text(0, 2)
    timeline = rows.isNull(0, 3) ? nil : Int(rows.text(0, 3), radix: 16)
  }
}
