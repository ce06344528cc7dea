import Dispatch

/// Runs the work of a `ModelActor` on a queue of its own, so that a slow fetch holds none of the
/// threads that tasks share.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
  // @unchecked: the context is used by the work that the queue runs, one piece after another.
  private let queue = DispatchQueue(label: "strongroom.model-actor")

  /// The context; for work that the executor runs.
  public let modelContext: ModelContext

  /// Makes an executor for a context, which no other code may use from then on.
  public init(modelContext: ModelContext) { self.modelContext = modelContext }

  /// Runs a job when its turn comes.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  /// Stops the process when this is not the executor's queue.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
