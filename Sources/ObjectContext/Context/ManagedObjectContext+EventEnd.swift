extension ManagedObjectContext {
  /// For closures that run on the context's actor or not at all.
  private struct ActorContext: @unchecked Sendable {
    // @unchecked: the context is touched on its actor only.
    weak var context: ManagedObjectContext?
    weak var actor: (any Actor)?

    func endEvent() {
      guard let actor else { return }
      Task { await endEvent(on: actor) }
    }

    private func endEvent(on actor: isolated any Actor) { context?.processPendingChanges() }
  }

  /// Makes a context of an actor whose events end by themselves, as soon as the actor is free.
  ///
  /// Where its `automaticallyMergesChangesFromParent` is set, it takes in at once what others save.
  package convenience init(_ coordinator: PersistentStoreCoordinator, endingEventsOn actor: any Actor) {
    self.init(coordinator, isolation: actor)
    let own = ActorContext(context: self, actor: actor)
    graph.notifications.eventEnd = { own.endEvent() }
    graph.inbox.wake.withLock { $0 = { own.endEvent() } }
  }
}
