import Foundation

/// The locks by which saves, migrations and drafts of a store wait for each other.
struct ServerLock {
  /// Waits for the end of a draft, before a save reads which version the store has.
  static let ofSave = "SELECT \(takingOfSave)"

  /// The same as a term of a statement, in which nothing may be read that has to be read after it.
  static let takingOfSave = "pg_advisory_xact_lock_shared(\(saves))"

  /// Keeps others from saving until the end of the transaction, but not from reading.
  static let againstSaves = "SELECT pg_advisory_xact_lock(\(saves))"

  /// Keeps others from reading, too: those that have read in a transaction are waited for.
  ///
  /// - `tables`: Tables that are locked before, as statements lock theirs.
  static func againstAll(_ tables: [String] = []) -> String {
    "LOCK TABLE \((tables + ["_store"]).map(\.quoted).joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE"
  }

  private static let saves = "pg_catalog.hashtextextended('strongroom saves ' || current_schema(), 7)"

  /// How long others are waited for, in seconds.
  private static let patience: TimeInterval = 30

  private let connection: ServerConnection

  init(_ connection: ServerConnection) { self.connection = connection }

  /// Takes a lock in the transaction that the connection is in.
  ///
  /// It asks again and again, for a quarter of a second each time: while it waits, everybody who comes after
  /// it waits too.
  /// - Throws: `ServerError` where others have the lock for 30 seconds.
  func take(_ lock: String) throws {
    let end = Date(timeIntervalSinceNow: Self.patience)
    while true {
      try connection.execute("SAVEPOINT waiting; SET LOCAL lock_timeout TO '250ms'")
      do { try connection.execute(lock) } catch let error as ServerError
        where error.isLockTimeout && Date() < end
      {
        try connection.execute("ROLLBACK TO SAVEPOINT waiting")
        usleep(250_000)
        continue
      }
      return try connection.execute("SET LOCAL lock_timeout TO '30s'")
    }
  }

  /// Keeps others from making or migrating the store of a schema until the end of the transaction.
  func takeOpening(of schema: String) throws {
    try connection.run(
      "SELECT pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 7))", [.text("strongroom " + schema)])
  }
}
