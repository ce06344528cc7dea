import ObjectModel
public import SQLCipherStore
public import StoreContract

extension AppleStore {
  /// Makes an encrypted store of this one: with the same model, objects, values, links and orders.
  ///
  /// The new store has its name once it is whole. Objects keep their keys as reference numbers.
  /// Memory does not grow with the number of objects. Cancelling the task stops the import.
  /// - Parameters:
  ///   - description: Where the new store is to be, and who gets its key.
  ///   - fault: Called with each fault of this store.
  ///   - progress: Called now and then with the number of rows and links done.
  /// - Returns: What was brought along.
  /// - Throws: `AppleStoreError`; `busy` where another program wrote to this store meanwhile;
  ///   `StoreError` and the vaults' errors for the new store, `cancelled` among them. There is then no
  ///   new store.
  public func importStore(
    into description: PersistentStoreDescription, fault: @escaping (AppleStoreFault) -> Void = { _ in },
    progress: @escaping (StoreProgress) -> Void = { _ in }
  ) async throws -> AppleStoreSummary {
    var summary = AppleStoreSummary()
    try await SQLCipherStore.create(description, model) { [self] filler in
      summary = try AppleStoreError.translating(url.path) {
        let writer = try ImportWriter(self, filler, fault: fault, progress: progress)
        try writer.write()
        try database.checkUnchanged()
        return writer.summary
      }
    }
    return summary
  }
}
