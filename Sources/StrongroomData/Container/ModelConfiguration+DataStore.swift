extension ModelConfiguration: DataStoreConfiguration {
  /// The store of every configuration.
  public typealias Store = DefaultStore

  /// Checks the name and that nothing is asked for that there is not on Linux or not registered.
  ///
  /// Issues no statement.
  /// - Throws: `SwiftDataError`: `configurationFileNameTooLong`,
  ///   `configurationFileNameContainsInvalidCharacters`, `unsupportedConfiguration`.
  public func validate() throws { try StorePlan.check(self) }
}
