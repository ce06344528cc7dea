import Dispatch
public import ObjectQuery
import StoreContract

extension ManagedObjectContext {
  /// The objects a request asks for, read on another thread, so that this isolation goes on meanwhile. Cancelling the task
  /// interrupts the database in the middle of the statement. One statement, and one more each time that unsaved changes began
  /// or ended meanwhile. Objects changed in this context meanwhile are judged as they are at the end.
  /// - Parameter progress: Called on another thread with the number of rows read so far, every few hundred and at the end.
  /// - Throws: as `fetch(_:as:)`; `CancellationError` when the task was cancelled.
  public func fetchAsynchronously<T: ManagedObject>(
    _ request: FetchRequest, as type: T.Type = ManagedObject.self,
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (Int) -> Void)? = nil
  ) async throws -> [T] {
    let entity = try check(request, type)
    while true {
      try mergeChanges()
      let question = try question(request)
      let (start, wasTouched) = (tracker.generation, try isTouched(request))
      let nodes: [IncrementalStoreNode]
      switch source {
      case let now as PersistentStoreCoordinator:
        nodes = try await Self.nodes(question, FetchProgress(progress: progress)) {
          try now.fetch(question, lookup: nil)
        }
      case let moment as QueryGenerationToken:
        nodes = try await Self.nodes(question, FetchProgress(progress: progress)) {
          try moment.fetch(question, lookup: nil)
        }
      default:
        // A parent lives where this context does; there is nobody else to ask it.
        return try fetch(request, as: type)
      }
      // What was asked may not be what is to be asked now, and rows read before a save here would bring back old values.
      guard try isTouched(request) == wasTouched, tracker.generation == start else { continue }
      let objects = try objects(nodes, request)
      if !request.relationshipKeyPathsForPrefetching.isEmpty {
        try prefetch(for: request, of: objects, entity)
      }
      // The request's classes were checked above.
      return unsafeBitCast(objects, to: [T].self)
    }
  }

  /// Blocks a thread of the system's, not one of the few that tasks share.
  private nonisolated static func nodes(
    _ request: FetchRequest, _ monitor: FetchProgress, _ ask: @escaping @Sendable () throws -> StoreResult
  ) async throws -> [IncrementalStoreNode] {
    do {
      let nodes = try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation {
          (continuation: CheckedContinuation<[IncrementalStoreNode], any Error>) in
          DispatchQueue.global().async {
            continuation.resume(
              with: Result {
                let result = try FetchProgress.$current.withValue(monitor, operation: ask)
                if case .nodes(let nodes) = result { return nodes }
                return []
              })
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
