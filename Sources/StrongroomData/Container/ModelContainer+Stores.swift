extension ModelContainer {
  /// The identifier of the store of a configuration, as `PersistentIdentifier.storeIdentifier` and history
  /// transactions have it; nil where there is none of the name, or the container was invalidated.
  ///
  /// Issues no statement.
  public func storeIdentifier(forConfigurationNamed name: String) -> String? {
    core.storeNames.first { $0.name == name }?.identifier
  }

  /// The name of the configuration of a store; nil where the container has none of the identifier, or was
  /// invalidated.
  ///
  /// Issues no statement.
  public func configurationName(forStoreIdentifier identifier: String) -> String? {
    core.storeNames.first { $0.identifier == identifier }?.name
  }

  /// Closes the stores: contexts of the container drop their models, and throw from then on.
  ///
  /// Issues no statement.
  public func invalidate() { try? core.engine.persistentStoreCoordinator.removePersistentStores() }
}
