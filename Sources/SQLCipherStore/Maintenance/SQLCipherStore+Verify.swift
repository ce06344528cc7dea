import CipherDatabase
public import Foundation
import ObjectModel
public import StoreContract
import StoreKeyring

extension SQLCipherStore {
  /// Looks for everything that can be wrong with a store: each page against its MAC, SQLite's own
  /// structures, and the rows against the model that the store describes itself with.
  ///
  /// Reads only; others may use the store meanwhile.
  ///
  /// - Parameters:
  ///   - description: The store, with the vaults that hold its key.
  ///   - limit: The greatest number of issues.
  ///   - progress: Called from time to time with what was done so far.
  /// - Returns: What is wrong; nothing when all is well.
  /// - Throws: as opening does, and `cancelled`.
  public static func verify(
    _ description: PersistentStoreDescription, limit: Int = 1000,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> [IntegrityIssue] {
    let access = try await WholeFileAccess.open(description, for: .reading)
    defer { access.close() }
    let findings = try verify(access, limit: limit, progress).findings
    if findings.contains(where: { $0.kind == .damagedPage || $0.kind == .unexpectedSchema }) {
      return findings
    }
    return findings + (try await compareHeads(access, description))
  }

  /// Repairs every issue that has only one possible repair, in a copy of the store, which replaces
  /// it once verified.
  ///
  /// The store must not be open.
  ///
  /// - Parameters:
  ///   - description: The store, with the vaults that hold its key.
  ///   - original: Where the original file is copied to; must not exist.
  ///   - progress: Called from time to time with what was done so far.
  /// - Returns: What was wrong before, and what still is.
  /// - Throws: `StoreError`: `fileDamaged` when pages are damaged, which no repair can answer,
  ///   `busy`, `fileExists`, `cancelled`; the store is then as it was.
  public static func repair(
    _ description: PersistentStoreDescription, keepingOriginalAt original: URL,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> (before: [IntegrityIssue], after: [IntegrityIssue]) {
    try refuseExisting(original.path)
    let access = try await WholeFileAccess.open(description, for: .writing)
    defer { access.close() }
    try access.takeWhole(progress)
    let (before, repairs) = try verify(access, limit: .max, progress)
    guard !repairs.isEmpty else { return (before, before) }
    let new = UnfinishedCopy.path(beside: access.path)
    defer { File.removeDatabase(new) }
    let after = try translating(access.path) {
      try Backup.copy(
        access.connection, to: new, key: access.cipher.spec, format: access.format,
        progress: StoreProgress.copying(progress))
      return try repair(new, access, description, repairs, progress)
    }
    let copy = UnfinishedCopy.path(beside: original.path)
    defer { File.removeDatabase(copy) }
    try translating(original.path) {
      try access.file.copy(to: copy)
      try File.placeDatabase(copy, at: original.path)
    }
    try access.replace(with: new)
    return (before, after)
  }

  /// Repairs a copy, and looks at what is still wrong with it.
  private static func repair(
    _ path: String, _ access: WholeFileAccess, _ description: PersistentStoreDescription, _ repairs: [String],
    _ progress: @escaping @Sendable (StoreProgress) -> Void
  ) throws -> [IntegrityIssue] {
    let file = try DatabaseFile(path)
    defer { file.release() }
    let copy = try WholeFileAccess(file, access.cipher, description)
    defer { copy.close() }
    try copy.connection.transaction(.exclusive) {
      for repair in repairs { try copy.connection.execute(repair) }
      try copy.connection.execute("REINDEX")
    }
    try copy.connection.checkpoint()
    try file.sync()
    return try verify(copy, limit: .max, progress).findings
  }

  private static func verify(
    _ access: WholeFileAccess, limit: Int, _ progress: @escaping @Sendable (StoreProgress) -> Void
  ) throws -> (findings: [IntegrityIssue], repairs: [String]) {
    func damagedPages() throws -> [UInt32] {
      try WholeFileAccess.damagedPages(access.file, access.cipher, limit: limit, progress)
    }
    var damaged = try damagedPages()
    if !damaged.isEmpty {
      // A page that is in the log may be torn in the file, where moving it was interrupted.
      try? access.connection.checkpointPassively()
      damaged = try damagedPages()
    }
    guard damaged.isEmpty else {
      // Rows on the pages left would be compared with rows that cannot be read.
      let findings = damaged.map {
        IntegrityIssue(.damagedPage, nil, nil, "page \($0) is not what was written; restore a copy")
      }
      return (findings, [])
    }
    let connection = access.connection
    return try translating(access.path) {
      let table = StoreTable(connection)
      let check = try SchemaCheck(connection)
      try check.checkIsStore()
      let schema = try table.storedSchema()
      let foreign = check.foreign(to: [schema], besides: try table.deferredCleanUp()).map {
        IntegrityIssue(.unexpectedSchema, nil, nil, "the \($0.description) is none that the model makes")
      }
      // Other checks would run what it brings along.
      guard foreign.isEmpty else { return (Array(foreign.prefix(limit)), []) }
      let structure = try connection.integrityCheck().map { IntegrityIssue(.structure, nil, nil, $0) }
      return try connection.transaction(.deferred) {
        var contents = ContentsCheck(connection, schema, limit: limit - structure.count)
        try contents.run()
        var history = HistoryCheck(connection)
        try history.run(limit: limit - structure.count - contents.findings.count)
        return (structure + contents.findings + history.findings, contents.repairs)
      }
    }
  }
}
