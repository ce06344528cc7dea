extension ManagedObject {
  /// The context the object lives in; nil once that is deallocated or reset.
  public final var managedObjectContext: ManagedObjectContext? {
    // Only contexts own graphs.
    graph?.owner.map { unsafeDowncast($0, to: ManagedObjectContext.self) }
  }
}
