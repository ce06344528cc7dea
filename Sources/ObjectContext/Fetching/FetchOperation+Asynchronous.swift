import Dispatch
import ObjectQuery
import StoreContract

extension FetchOperation {
  /// The objects of a request, read on another thread.
  func fetchAsynchronously<T: ManagedObject>(
    _ request: FetchRequest, as type: T.Type = ManagedObject.self,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (Int) -> Void)? = nil
  ) async throws -> [T] {
    let entity = try check(request, type)
    while true {
      try graph.merging.mergeChanges()
      let pending = try pendingChanges(request)
      let stored = storedRequest(request, pending)
      let generation = tracker.generation
      let nodes: [IncrementalStoreNode]
      switch source {
      case let coordinator as PersistentStoreCoordinator:
        nodes = try await Self.nodes(FetchProgress(progress: progress)) {
          try coordinator.fetchNodes(stored, lookup: nil)
        }
      case let token as QueryGenerationToken:
        nodes = try await Self.nodes(FetchProgress(progress: progress)) {
          try token.fetchNodes(stored, lookup: nil)
        }
      default:
        // A parent context is used on this isolation only.
        return try fetch(request, as: type)
      }
      // Later changes may require other rows, and rows read before a save of this context would
      // restore old values.
      let current = try pendingChanges(request)
      guard (current == nil) == (pending == nil), tracker.generation == generation else { continue }
      let objects = try objects(nodes, request, current)
      if !request.relationshipKeyPathsForPrefetching.isEmpty {
        try prefetch(for: request, of: objects, entity)
      }
      return try cast(objects, of: entity)
    }
  }

  /// Blocks a thread of the system's, not one of the few that tasks share.
  private nonisolated static func nodes(
    _ monitor: FetchProgress, _ read: @escaping @Sendable () throws -> [IncrementalStoreNode]
  ) async throws -> [IncrementalStoreNode] {
    do {
      let nodes = try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation {
          (continuation: CheckedContinuation<[IncrementalStoreNode], any Error>) in
          DispatchQueue.global().async {
            continuation.resume(
              with: Result { try FetchProgress.$current.withValue(monitor, operation: read) })
          }
        }
      } onCancel: {
        monitor.cancel()
      }
      if monitor.isCancelled { throw CancellationError() }
      return nodes
    } catch {
      if monitor.isCancelled { throw CancellationError() }
      throw error
    }
  }
}
