import CipherDatabase
public import ObjectModel
public import StoreContract

extension SQLCipherStore {
  /// Makes room for the value, then writes the pieces in their place, in one transaction.
  ///
  /// Four statements, and three or four for the history, whatever the length.
  ///
  /// Memory stays the same whatever the length where no later column of the row has a value:
  /// external attributes come last in the order of their declaration. Else SQLite builds the row in
  /// memory, about twice the value.
  /// - Throws: as the contract says; `readOnly`, `diskFull`, `busy`. The value is as it was then.
  public func writeValue(
    count: Int, of attribute: AttributeDescription, to reference: Int64, _ fill: (ValueWriter) throws -> Void
  ) throws -> Int64 {
    try checkWritable()
    let opened = try open
    return try translating(path) {
      try opened.pool.write { connection in
        try attribute.checkPieces(count, limit: connection.rowLimit)
        var version: Int64 = 0
        do {
          try connection.transaction(.immediate) {
            let place = try ValuePlace(attribute, reference, connection, opened)
            version = place.version + 1
            let isLong = max(count, place.count ?? 0) > Self.longestCached
            try connection.withSmallCache(if: isLong) {
              try place.makeRoom(count)
              try place.write(count, fill)
            }
            if tracksHistory {
              var recorder = HistoryRecorder(connection, opened, historyLimits)
              try recorder.add(written: attribute, of: reference)
              try recorder.finish()
            }
          }
        } catch let error as CipherError where error.isOfCommit {
          try self.settle(
            connection,
            CommitToken(
              store: opened.identifier, entity: attribute.entity, reference: reference, version: version),
            error)
        }
        return version
      }
    }
  }

  /// The longest value whose pages the cache takes in, in bytes.
  private static var longestCached: Int { 1 << 20 }
}
