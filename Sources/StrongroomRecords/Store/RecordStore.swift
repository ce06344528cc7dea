import Locks

/// Stores values of plain Swift types in one encrypted file, as rows without managed objects.
///
///     let store = try await RecordStore(url: url, Book.self, Author.self)
///     try store.push(Book(isbn: "0141439513", title: "Emma", pages: 474))
///     let long = try store.fetch(Book.self, where: #Predicate { $0.pages > 300 })
///
/// Keys, migration and transactions are those of the engine. Sendable: any thread may make any
/// call, and calls are synchronous; writes of one store wait for each other, reads do not. Several
/// programs can have the file open at once. Tables of types that only other programs use stay as
/// they are.
public final class RecordStore: Sendable {
  /// The description that the store was opened with.
  public let storeDescription: PersistentStoreDescription

  struct Opened: Sendable {
    let container: PersistentContainer
    let types: [any Record.Type]
    let tables: [ObjectIdentifier: RecordTable]
  }

  let opened = Locked<Opened?>(nil)
  /// Locked during a write.
  ///
  /// Its value has a size, since sanitizers report a lock around a value without one.
  private let writing = Locked(false)
  /// The store that this task or thread is writing to.
  @TaskLocal private static var writer: ObjectIdentifier?

  /// Opens a store of records, or creates key and file when neither exists.
  ///
  /// The key is in the desktop's keyring unless another vault is given.
  ///
  /// Creates missing tables and columns; tables and columns that the types do not declare stay.
  /// About ten statements, and one more for each table, column and index created.
  /// - Throws: `RecordError` for types that cannot be tables; `StoreError` (`modelMismatch` when a
  ///   column's type changed, or an added column is required and has no default) and the vaults'
  ///   errors. Nothing is changed then.
  public convenience init(
    url: URL, vault: any KeyVault = SecretServiceVault(), _ types: any Record.Type...
  ) async throws {
    try await self.init(PersistentStoreDescription(url: url, vault: vault), types)
  }

  /// Opens a store of records by a description, which can have several vaults, a recovery code's
  /// handler or a key of the program's own.
  /// - Throws: as `init(url:vault:_:)`.
  public init(_ description: PersistentStoreDescription, _ types: [any Record.Type]) async throws {
    storeDescription = description
    try await open(types)
  }

  /// Registers further types, and creates their tables.
  ///
  /// Closes the file and opens it again.
  /// - Throws: as `init(url:vault:_:)`. The store then has its former types, or is closed when it
  ///   cannot be opened again.
  public func register(_ types: any Record.Type...) async throws {
    let known = try current.types
    try close()
    try await reopening(known) { try await open(known + types) }
  }

  /// Opens the store with its former types when `body` throws.
  private func reopening(_ known: [any Record.Type], _ body: () async throws -> Void) async throws {
    do { try await body() } catch {
      try? await open(known)
      throw error
    }
  }

  /// Removes a type's table with all its rows; `register(_:)` creates an empty one.
  ///
  /// Two statements; closes the file and opens it again.
  /// - Throws: `RecordError` with code `notRegistered`; `StoreError`, as when another program has
  ///   the file open.
  public func drop<Value: Record>(_ type: Value.Type) async throws {
    try clear(type)
    let table = try table(type)
    let known = try current.types
    let isLast = try coordinator.managedObjectModel.entities.count == 1
    try close()
    try await reopening(known) {
      if isLast { try await addPlaceholder() }
      let rest = known.filter { ObjectIdentifier($0) != ObjectIdentifier(type) }
      try await open(rest, without: table.entity.name)
    }
  }

  /// Closes the file; issues no statement on rows.
  ///
  /// Closing again has no effect.
  /// - Throws: `StoreError`.
  public func close() throws {
    let old = opened.withLock { opened in
      defer { opened = nil }
      return opened
    }
    try old?.container.close()
  }

  /// The engine's coordinator over the same file, as for contexts over the same rows.
  ///
  /// `register(_:)` and `drop(_:)` replace it.
  /// - Throws: `RecordError` with code `closed`.
  public var coordinator: PersistentStoreCoordinator {
    get throws { try current.container.persistentStoreCoordinator }
  }

  /// The registered types.
  /// - Throws: `RecordError` with code `closed`.
  public var types: [any Record.Type] { get throws { try current.types } }

  var current: Opened {
    get throws {
      guard let opened = opened.withLock({ $0 }) else {
        throw RecordError(.closed, "the store is closed; open it again")
      }
      return opened
    }
  }

  func table<Value: Record>(_ type: Value.Type) throws -> RecordTable {
    guard let table = try current.tables[ObjectIdentifier(type)] else {
      throw RecordError(
        .notRegistered,
        "the store was opened without \(type); open it with the type, or register it")
    }
    return table
  }

  /// Runs a write while no other runs.
  /// - Throws: what `body` throws; `RecordError` with code `nested` inside a write of this store.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    guard Self.writer != ObjectIdentifier(self) else {
      throw RecordError(
        .nested,
        "the store was written to inside its own transaction; write by the closure's transaction")
    }
    return try writing.withLock { _ in
      try Self.$writer.withValue(ObjectIdentifier(self)) { try body() }
    }
  }
}
