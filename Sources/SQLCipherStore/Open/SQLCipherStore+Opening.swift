extension SQLCipherStore {
  /// Opens the store, or creates it where the description allows; the key comes from the
  /// description's vaults.
  ///
  /// Issues sixteen statements to open a store, plus one per table and index to create one.
  /// - Throws: `StoreError` and `KeyringError`; the file is then unchanged.
  public func loadMetadata() async throws {
    if isOpen { return }
    let start = ContinuousClock.now
    let opened = try await StoreOpening(description: storeDescription, model: model).open()
    storeDescription.log?.opened(opened.session, in: .now - start)
    adopt(opened)
  }
}
