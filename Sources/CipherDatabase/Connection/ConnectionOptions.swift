/// How a connection is opened.
package struct ConnectionOptions: Sendable {
  /// `immutable` is for a read-only medium: SQLite then takes no locks and makes no files.
  package enum Access: Sendable { case readWrite, readOnly, immutable }
  /// `asIs` leaves the file's own mode, so that looking at it does not change it.
  package enum Journal: Sendable { case writeAhead, rollback, asIs }
  package enum Synchronous: String, Sendable { case normal = "NORMAL", full = "FULL", extra = "EXTRA" }

  package var access = Access.readWrite
  /// Make the file; it must not exist yet.
  package var createIfMissing = false
  /// Whether a file with further names is refused; only when it is opened, since it can get one at
  /// any time.
  package var refusesOtherNames = true
  /// The size of the cache of decrypted pages.
  ///
  /// SQLite's own 2 MB makes random access two to nine times slower here.
  package var pageCacheBytes = 64 << 20
  package var journal = Journal.writeAhead
  package var synchronous = Synchronous.full
  package var exclusiveLocking = false
  package var busyTimeoutMilliseconds = 5000
  package var format = CipherFormat.version3
  /// What statements and triggers may call.
  package var functions: [ScalarFunction] = []
  /// What statements may call over groups of rows.
  package var aggregates: [AggregateFunction] = []
  /// What statements may sort by.
  package var collations: [TextCollation] = []

  /// The database's name in traces; the file's unless set.
  package var label: String?
  /// Reports slow statements and waits; statements are not measured without it.
  package var observer: ConnectionObserver?

  package init() {}
}

extension CipherFormat {
  /// Whether the SQLCipher in this process knows the format.
  package var isAvailable: Bool { self == .version3 || Connection.cipherMajorVersion >= 4 }
}
