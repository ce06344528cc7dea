public import StoreContract

extension PersistentStoreDescription {
  /// The schema of the database in which the store is, where the type is ``PostgresStore``'s: `strongroom`
  /// unless set.
  ///
  /// Made where it is missing. Several stores of one database are in several schemas.
  public var serverSchema: String {
    get { options["PostgresSchema"] as? String ?? "strongroom" }
    set { options["PostgresSchema"] = newValue }
  }
}
