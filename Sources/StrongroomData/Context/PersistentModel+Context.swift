extension PersistentModel {
  /// The context the model is in; nil before it is inserted, and once its context was deallocated.
  public var modelContext: ModelContext? { _$object.graph?.host as? ModelContext }
}
