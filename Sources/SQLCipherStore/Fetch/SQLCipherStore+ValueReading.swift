import CipherDatabase
public import ObjectModel
public import StoreContract

extension SQLCipherStore {
  /// Opens a value over a connection of its own, which keeps a read transaction until the reader is closed: the write-ahead log
  /// grows meanwhile, and work that wants the file alone is told `busy`. The store at a moment reads over the moment's own
  /// connection. Three statements and the opening of a connection; one at a moment.
  public func openValue(of attribute: Attribute, of reference: Int64) throws -> ValueReader? {
    try attribute.checkPieces()
    let opened = try open
    let path = path
    return try translating(path) {
      let pool = isMoment ? opened.pool : try opened.pool.pinned(pageCacheBytes: OpenValue.pageCacheBytes)
      do {
        guard let value = try OpenValue(attribute, reference, pool, opened, ownsPool: !isMoment) else {
          if !isMoment { pool.close() }
          return nil
        }
        return ValueReader(
          count: value.count, { buffer, offset in try translating(path) { try value.read(buffer, offset) } },
          close: { value.close() })
      } catch {
        if !isMoment { pool.close() }
        throw error
      }
    }
  }
}

/// A value that is being read.
private final class OpenValue: @unchecked Sendable {
  // @unchecked: the blob is touched only by the thread that has its connection from the pool.
  /// What is read once is not worth more.
  static let pageCacheBytes = 1 << 20

  let count: Int
  private let blob: Blob
  private let pool: ConnectionPool
  private let ownsPool: Bool

  /// - Returns: Nil when the value is null.
  init?(
    _ attribute: Attribute, _ reference: Int64, _ pool: ConnectionPool, _ opened: SQLCipherStore.Opened,
    ownsPool: Bool
  ) throws {
    let blob = try pool.read { connection in
      let place = try ValuePlace(attribute, reference, connection, opened)
      return place.count == nil ? nil : try place.open(isWritable: false)
    }
    guard let blob else { return nil }
    self.blob = blob
    self.pool = pool
    self.ownsPool = ownsPool
    count = blob.count
  }

  func read(_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) throws {
    try pool.read { _ in try blob.read(into: buffer, at: offset) }
  }

  func close() {
    // Where the pool was closed its blobs are already.
    try? pool.read { _ in blob.close() }
    if ownsPool { pool.close() }
  }
}
