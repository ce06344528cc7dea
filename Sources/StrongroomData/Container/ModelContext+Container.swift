extension ModelContext {
  /// Makes a context on a container's stores.
  ///
  /// Issues no statement.
  public convenience init(_ container: ModelContainer) { self.init(container.core) }

  /// The container.
  public var container: ModelContainer { ModelContainer.of(core) }
}
