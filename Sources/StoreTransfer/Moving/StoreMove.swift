public import ObjectModel
public import StoreContract

/// Makes a new store with all that another one has, of the same kind or another, and compares the two.
///
/// The new store has every object under its number, with its values, versions, relationships and orders,
/// and the program's metadata. It has a UUID of its own, so that both can be in use: the URI of an object
/// differs in that. Its history begins with the objects as inserted; what the source recorded, and who reads
/// it, stays with the source, which is not changed.
///
/// The source is read in one snapshot, so others may write to it meanwhile. A store without snapshots must
/// not be written to.
public struct StoreMove {
  private let source: any IncrementalStore
  private let model: ManagedObjectModel

  /// A move of what a store has.
  /// - Parameters:
  ///   - source: The store, which is loaded.
  ///   - model: The model that it was opened with.
  /// - Throws: `StoreError` with code `modelMismatch` where it was opened with another.
  public init(from source: any IncrementalStore, model: ManagedObjectModel) throws {
    try model.check(isModelOf: source)
    (self.source, self.model) = (source, model)
  }

  /// Makes a store, and publishes it only after it was compared with the source.
  ///
  /// If the process ends before, there is no store, and the move can be made again. Memory does not grow with
  /// the number of objects. Cancelling the task stops it. Each piece of up to 4,096 objects is a statement of
  /// the source, and one of the new store to write it and one to compare it; each relationship with a join
  /// table takes as many again.
  /// - Parameters:
  ///   - type: The kind of the new store: the encrypted store, or that on a server.
  ///   - description: Where it is to be. Nothing may be there: neither a file nor a store.
  ///   - progress: Called now and then.
  /// - Returns: What was compared, without a difference.
  /// - Throws: `StoreError`: `fileExists` where something is there already; `invalidValue` for texts that the
  ///   kind of store cannot have, with the objects in `objectIDs`, and for a description of another kind;
  ///   `notUnique`, `diskFull`, `cancelled`, `copyDiffers`; `unsupportedRequest` for a kind that is made by
  ///   saves alone, which `run(into:progress:)` takes; `fileDamaged` for a source on a server into which
  ///   others have written what a store does not; what reading the source throws.
  public func run(
    to type: any IncrementalStore.Type, _ description: PersistentStoreDescription,
    progress: @escaping @Sendable (StoreMoveProgress) -> Void = { _ in }
  ) async throws -> StoreComparison {
    guard let type = type as? any FillableStore.Type else {
      throw StoreError(
        .unsupportedRequest,
        "a store of type \(type.storeType) cannot be made with contents; open an empty one, and move into it")
    }
    let pages = try StorePages(momentOf: source)
    try pages.verify()
    let model = model
    var result = StoreComparison()
    do {
      try await type.make(description, model) { contents in
        try StoreCopying(pages, model, contents, progress).run()
      } check: { copy in
        result = try StoreComparing(pages, StorePages(copy), model, progress: progress).run()
        try result.requireNone("nothing was made; move again, and report it where it happens twice")
      }
    } catch let error as StoreError where error.code == .cancelled {
      throw StoreError(.cancelled, "stopped; nothing was made")
    }
    return result
  }

  /// Moves into a store of any kind that is open and has no object, by one save.
  ///
  /// The objects get the numbers that the store gives, and version 1; attributes that are derived are the
  /// store's own to derive; the program's metadata of the source takes the place of the store's. All of them
  /// are in memory at once. When the save fails, or the process ends before it, the store has nothing. What
  /// others save into the store at the same time shows as a difference.
  /// - Parameters:
  ///   - store: The store, opened with the same model.
  ///   - progress: Called now and then.
  /// - Returns: What was compared, without a difference.
  /// - Throws: `StoreError`: `fileExists` where it has objects; `modelMismatch`; `copyDiffers` where it does
  ///   not have what it was given, and `cancelled` where the comparison was stopped: the objects stay in it
  ///   then; `notFound` for a link to an object that the source has not; what its `save` and reading the
  ///   source throw.
  public func run(
    into store: any IncrementalStore,
    progress: @escaping @Sendable (StoreMoveProgress) -> Void = { _ in }
  ) throws -> StoreComparison {
    try model.check(isModelOf: store)
    let destination = StorePages(store)
    for entity in model.entities where try destination.count(entity) > 0 {
      throw StoreError(
        .fileExists, "the store has objects of \(entity.name) already; move into one that has none")
    }
    let pages = try StorePages(momentOf: source)
    try pages.verify()
    let gathered = GatheredContents(store)
    try StoreCopying(pages, model, gathered, progress).run()
    try store.save(gathered.save())
    do {
      let result = try StoreComparing(
        pages, destination, model, numbers: gathered.numbers, progress: progress
      ).run()
      try result.requireNone("the objects are in it; look at them, or empty it and move again")
      return result
    } catch let error as StoreError where error.code == .cancelled {
      throw StoreError(.cancelled, "stopped; the objects are in the new store, and not all were compared")
    }
  }
}

extension ManagedObjectModel {
  func check(isModelOf store: any IncrementalStore) throws {
    let own = store.storeEntities
    guard own.count == entities.count, zip(own, entities).allSatisfy({ $0.entity === $1 }) else {
      throw StoreError(.modelMismatch, "the store is not open with this model; load it with the same one")
    }
  }
}
