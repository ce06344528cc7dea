import CipherDatabase
import Foundation
import Glibc
import StoreContract

extension OpenSession {
  /// Opens a file with whichever of its keys fits.
  ///
  /// Closes it again when its end is missing.
  /// - Throws: as `KeySearch.first(_:)`, and `fileTruncated`.
  static func open(
    _ file: DatabaseFile, _ store: UUID, _ description: PersistentStoreDescription
  ) async throws -> OpenSession {
    let options = try description.connectionOptions(for: file)
    var search = KeySearch(description, file: file, store: store)
    let session = try await search.first { try OpenSession(file, $0, options) }.result
    try session.closingOnError { try session.pool.read(checkWhole) }
    return session
  }

  func closingOnError<R>(_ body: () throws -> R) throws -> R {
    do {
      return try translating(file.path, body)
    } catch {
      pool.close()
      throw error
    }
  }

  /// A file whose end is missing opens as long as no page of it is read.
  ///
  /// When the log is empty, the file must have every page that its header counts.
  private static func checkWhole(_ connection: Connection) throws {
    let file = connection.file
    guard !hasLog(file) else { return }
    let pages = Int(try connection.text("PRAGMA page_count") ?? "") ?? 0
    let size = file.size
    if size < pages * 4096, !hasLog(file) {
      throw StoreError(
        .fileTruncated,
        "the file at \(file.path) is cut off: it has \(size / 4096) of \(pages) pages; restore a copy")
    }
  }

  private static func hasLog(_ file: DatabaseFile) -> Bool {
    var log = stat()
    return lstat(file.path + "-wal", &log) == 0 && log.st_size > 0
  }
}

extension PersistentStoreDescription {
  /// How the connections of an open store are opened.
  func connectionOptions(for file: DatabaseFile) throws -> ConnectionOptions {
    var options = ConnectionOptions.ofStore
    options.access = try isReadOnly ? StoreFile.access(file, isReadOnly: true) : .readWrite
    options.pageCacheBytes = pageCacheBytes
    options.synchronous = durability == .full ? .full : .normal
    options.exclusiveLocking = isExclusive
    options.busyTimeoutMilliseconds = busyTimeoutMilliseconds
    options.label = logLabel
    options.observer = log?.observer
    return options
  }
}
