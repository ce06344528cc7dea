import ObjectContext

extension ModelContainer {
  /// Reports after each save of any context of this container what was saved.
  public func didSaveModels() -> some AsyncSequence<ModelChanges, Never> & Sendable {
    ModelContext.changes(core.engine.persistentStoreCoordinator.didSaveObjects())
  }

  /// Reports commits of other processes and other containers to one of the stores, once for several
  /// commits within a few milliseconds.
  ///
  /// `mainContext` takes such changes in by itself; other contexts see them when they fetch.
  ///
  /// The files are watched from the first call on, or from the first use of `mainContext`. An idle
  /// file costs nothing.
  public func remoteChanges() -> some AsyncSequence<ModelConfiguration, Never> & Sendable {
    let core = core
    return core.engine.persistentStoreCoordinator.remoteChanges().compactMap { core.configuration(of: $0) }
  }
}
