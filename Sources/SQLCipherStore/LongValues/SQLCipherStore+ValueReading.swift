import CipherDatabase
public import ObjectModel
public import StoreContract

extension SQLCipherStore {
  /// How many values of one store may be open for reading at a time, each over a connection of its
  /// own.
  static let mostReaders = 64

  /// Opens a value over a connection of its own, which keeps a read transaction until the reader is
  /// closed: the write-ahead log grows meanwhile, and work that needs the file alone throws `busy`.
  ///
  /// A pinned store reads over the connection of its query generation. Three statements and the
  /// opening of a connection; one statement when pinned.
  /// - Throws: as the contract says; `busy` when 64 values are open already.
  public func openValue(of attribute: AttributeDescription, of reference: Int64) throws -> ValueReader? {
    try attribute.checkPieces()
    let opened = try open
    let path = path
    return try translating(path) {
      if isSnapshot {
        return try OpenValue(attribute, reference, opened.pool, opened).map { $0.reader(path) {} }
      }
      try admitReader()
      var pool: ConnectionPool?
      do {
        let own = try opened.pool.pinned(pageCacheBytes: OpenValue.pageCacheBytes)
        pool = own
        let openReaders = openReaders
        if let value = try OpenValue(attribute, reference, own, opened) {
          return value.reader(path) {
            own.close()
            openReaders.withLock { $0 -= 1 }
          }
        }
        endReader(own)
        return nil
      } catch {
        endReader(pool)
        throw error
      }
    }
  }

  private func admitReader() throws {
    let isFull = openReaders.withLock { count in
      if count >= Self.mostReaders { return true }
      count += 1
      return false
    }
    if isFull {
      throw StoreError(
        .busy, "\(Self.mostReaders) values are open for reading; close readers that are done, and try again")
    }
  }

  private func endReader(_ pool: ConnectionPool?) {
    pool?.close()
    openReaders.withLock { $0 -= 1 }
  }
}

/// A value that is being read.
private final class OpenValue: @unchecked Sendable {
  // @unchecked: the blob is touched only by the thread that has its connection from the pool.
  /// What is read once is not worth more.
  static let pageCacheBytes = 1 << 20

  private let blob: Blob
  private let pool: ConnectionPool

  /// - Returns: Nil when the value is null.
  init?(
    _ attribute: AttributeDescription, _ reference: Int64, _ pool: ConnectionPool,
    _ opened: SQLCipherStore.Opened
  ) throws {
    let blob = try pool.read { connection in
      let place = try ValuePlace(attribute, reference, connection, opened)
      return place.count == nil ? nil : try place.open(isWritable: false)
    }
    guard let blob else { return nil }
    self.blob = blob
    self.pool = pool
  }

  /// - `end`: Called once the value is closed.
  func reader(_ path: String, end: @escaping @Sendable () -> Void) -> ValueReader {
    ValueReader(count: blob.count) { buffer, offset in
      try translating(path) { try self.pool.read { _ in try self.blob.read(into: buffer, at: offset) } }
    } close: {
      // Where the pool was closed its blobs are already.
      try? self.pool.read { _ in self.blob.close() }
      end()
    }
  }
}
