import Dispatch
import Foundation

/// A context that belongs to no actor: used from anywhere, by one thread at a time.
///
/// Sendable, unlike the context inside, which closures see only while they run. `perform` and
/// `performAndWait` may be called inside each other, on this context and others, so long as two
/// threads do not wait for each other's. The end of an outermost closure ends the event: undo
/// groups close, observers hear. Saves of other contexts are taken in at once where
/// `automaticallyMergesChangesFromParent` is set.
public final class BackgroundContext: Sendable {
  private let lock: ContextLock
  private let queue: DispatchQueue
  // nonisolated(unsafe): used under the lock only.
  private nonisolated(unsafe) let context: ManagedObjectContext
  // nonisolated(unsafe): under the lock only. How many closures are inside each other.
  private nonisolated(unsafe) var depth = 0
  /// Its context is this one's parent.
  private let parent: BackgroundContext?

  /// Makes a context on a coordinator.
  ///
  /// - Parameters:
  ///   - coordinator: Where the context reads and saves.
  ///   - name: For messages, and the context's own name.
  public init(_ coordinator: PersistentStoreCoordinator, name: String? = nil) {
    parent = nil
    lock = ContextLock(name)
    queue = DispatchQueue(label: "strongroom.context")
    context = ManagedObjectContext(coordinator, isolation: .lock(lock))
    context.name = name
    mergeAtOnce()
  }

  /// Makes a child of another background context, which shares its turn: one of the two at a time.
  public init(parent: BackgroundContext, name: String? = nil) {
    self.parent = parent
    lock = parent.lock
    queue = parent.queue
    context = parent.lock.locked { ManagedObjectContext(parent: parent.context) }
    context.name = name
    mergeAtOnce()
  }

  deinit {
    // Objects that are alive tell their context of their end; it has to be theirs alone then too.
    nonisolated(unsafe) let context = context
    lock.locked { context.graph.unregisterAll() }
  }

  private func mergeAtOnce() {
    context.graph.inbox.wake.withLock { wake in
      wake = { [weak self] in
        guard let self else { return }
        queue.async { self.performAndWait { $0.processPendingChanges() } }
      }
    }
  }

  /// Runs a closure on the context's own thread when its turn comes; closures come one after
  /// another in their order.
  /// - Throws: what the closure throws.
  public func perform<R: Sendable>(
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try self.performAndWait(body) }) }
    }
  }

  /// Runs a closure on the calling thread as soon as the context is free; at once inside another
  /// closure of it.
  /// - Throws: what the closure throws.
  public func performAndWait<R: Sendable>(_ body: (ManagedObjectContext) throws -> R) rethrows -> R {
    try lock.locked {
      depth += 1
      defer {
        depth -= 1
        if depth == 0 { context.processPendingChanges() }
      }
      return try body(context)
    }
  }
}
