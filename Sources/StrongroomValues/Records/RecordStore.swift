import Locks

/// Values of plain Swift types in one encrypted file: rows without objects, over the same engine,
/// keys and transactions as everything else.
///
///     let store = try await RecordStore(url: url, Book.self, Author.self)
///     try store.push(Book(isbn: "0141439513", title: "Emma", pages: 474))
///     let long = try store.fetch(Book.self, where: #Predicate { $0.pages > 300 })
///
/// Sendable: every call may come from any thread and is synchronous; writes of one store wait for
/// each other, reads do not. A file may be open in several programs at once. Types that other
/// programs keep in the file stay as they are.
public final class RecordStore: Sendable {
  /// What the store was opened with.
  public let storeDescription: PersistentStoreDescription

  struct Opened: Sendable {
    let container: PersistentContainer
    let types: [any Record.Type]
    let tables: [ObjectIdentifier: RecordTable]
  }

  let opened = Locked<Opened?>(nil)
  /// Held by whoever writes. Of some size, since sanitizers take a value of none for the lock's own
  /// memory.
  private let writing = Locked(false)
  /// The store that a transaction of this thread or task is of.
  @TaskLocal private static var writer: ObjectIdentifier?

  /// Opens a store of records, or makes key and file when there is neither. The key is in the
  /// desktop's keyring unless another vault is given.
  ///
  /// Tables and columns that types have and the file has not are made; what the file has and types
  /// have not stays. About ten statements, and one more for each table, column and index that is
  /// made.
  /// - Throws: `ValuesError` for types that cannot be tables; `StoreError` (`modelMismatch` when a
  ///   column's type changed, or a new one is required and has no default) and the vaults' errors.
  ///   Nothing is changed then.
  public convenience init(
    url: URL, vault: any KeyVault = SecretServiceVault(), _ types: any Record.Type...
  ) async throws {
    try await self.init(PersistentStoreDescription(url: url, vault: vault), types)
  }

  /// Opens a store of records by a description: several vaults, a recovery code's handler, a key of
  /// the program's own.
  /// - Throws: as `init(url:vault:_:)`.
  public init(_ description: PersistentStoreDescription, _ types: [any Record.Type]) async throws {
    storeDescription = description
    try await open(types)
  }

  /// Makes further types known. The file is closed and opened again.
  /// - Throws: as `init(url:vault:_:)`; the store is as it was then, if it can be opened again.
  public func register(_ types: any Record.Type...) async throws {
    let known = try current.types
    try close()
    try await reopening(known) { try await open(known + types) }
  }

  /// Opens the store as it was when it cannot be opened as it is to be.
  private func reopening(_ known: [any Record.Type], _ body: () async throws -> Void) async throws {
    do { try await body() } catch {
      try? await open(known)
      throw error
    }
  }

  /// Removes a type's table with all its rows, and forgets the type; `register` makes the table
  /// anew. Two statements, and the file is closed and opened again.
  /// - Throws: `notRegistered`; `StoreError`, as when another program has the file open.
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
  /// - Throws: what closing throws.
  public func close() throws {
    let old = opened.withLock { opened in
      defer { opened = nil }
      return opened
    }
    try old?.container.close()
  }

  /// The engine's coordinator over the same file, for what records have no word for. It changes
  /// with `register` and `drop`.
  /// - Throws: `closed`.
  public var coordinator: PersistentStoreCoordinator {
    get throws { try current.container.persistentStoreCoordinator }
  }

  /// The types the store was opened with.
  /// - Throws: `closed`.
  public var types: [any Record.Type] { get throws { try current.types } }

  var current: Opened {
    get throws {
      guard let opened = opened.withLock({ $0 }) else {
        throw ValuesError(.closed, "the store is closed; open it again")
      }
      return opened
    }
  }

  func table<Value: Record>(_ type: Value.Type) throws -> RecordTable {
    guard let table = try current.tables[ObjectIdentifier(type)] else {
      throw ValuesError(
        .notRegistered,
        "\(type) is not among the store's types; name it when the store is opened, or register it")
    }
    return table
  }

  /// One write at a time, and none inside another.
  func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
    guard Self.writer != ObjectIdentifier(self) else {
      throw ValuesError(
        .nested,
        "the store was written to from inside its own transaction; write by what the transaction is given")
    }
    return try writing.withLock { _ in
      try Self.$writer.withValue(ObjectIdentifier(self)) { try body() }
    }
  }
}
