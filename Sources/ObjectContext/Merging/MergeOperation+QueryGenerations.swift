import StoreContract

extension MergeOperation {
  func setQueryGeneration(from generation: QueryGenerationToken?) throws {
    guard parent == nil else {
      throw ContextError(
        .objectOfAnotherContext, "a child context reads from its parent and cannot be pinned; pin the parent")
    }
    if let generation {
      let pinned =
        generation === QueryGenerationToken.current
        ? try QueryGenerationToken(of: persistentStoreCoordinator) : generation
      guard pinned.coordinator === persistentStoreCoordinator else {
        throw ContextError(
          .objectOfAnotherContext, "the query generation belongs to another coordinator")
      }
      graph.source = pinned
    } else {
      graph.source = persistentStoreCoordinator
    }
    graph.faulting.refreshAllObjects()
    notifications.markStale()
    graph.endEvent()
  }

  /// Pins a pinned context to a new query generation when it saves or merges.
  func renewQueryGeneration() throws {
    if queryGenerationToken == nil { return }
    graph.source = try QueryGenerationToken(of: persistentStoreCoordinator)
    // Rows that did not exist in the former generation may exist now.
    for object in registry.objects where object.state.contains(.deletedInStore) && object.node?.version == 0 {
      graph.faulting.turnBackIntoFault(object)
    }
    notifications.markStale()
  }
}
