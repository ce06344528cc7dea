import Foundation

/// Runs asynchronous work to its end on a thread of its own while the caller waits.
///
/// The work needs none of the threads that tasks share, so a caller that is one of them cannot stop
/// it.
final class OpeningThread: TaskExecutor {
  private let jobs = JobQueue()

  /// Waits for work.
  /// - Throws: what the work throws.
  static func wait<R: Sendable>(for work: @escaping @Sendable () async throws -> R) throws -> R {
    let executor = OpeningThread()
    let result = Answer<R>()
    let thread = Thread { executor.jobs.run(on: executor) }
    thread.stackSize = 4 << 20
    thread.start()
    Task(executorPreference: executor) {
      do { result.set(.success(try await work())) } catch { result.set(.failure(error)) }
      executor.jobs.finish()
    }
    return try result.wait().get()
  }

  func enqueue(_ job: consuming ExecutorJob) { jobs.put(UnownedJob(job)) }

  /// One value that another thread waits for.
  private final class Answer<R: Sendable>: @unchecked Sendable {
    // @unchecked: the value is used under the condition only.
    private let condition = NSCondition()
    private var value: Result<R, any Error>?

    func set(_ new: Result<R, any Error>) {
      condition.lock()
      value = new
      condition.broadcast()
      condition.unlock()
    }

    func wait() -> Result<R, any Error> {
      condition.lock()
      defer { condition.unlock() }
      while true {
        if let value { return value }
        condition.wait()
      }
    }
  }
}

/// The jobs of one thread.
private final class JobQueue: @unchecked Sendable {
  // @unchecked: used under the condition only.
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  private var isDone = false

  func put(_ job: UnownedJob) {
    condition.lock()
    jobs.append(job)
    condition.broadcast()
    condition.unlock()
  }

  func finish() {
    condition.lock()
    isDone = true
    condition.broadcast()
    condition.unlock()
  }

  /// Runs jobs until all is done.
  func run(on executor: OpeningThread) {
    while true {
      condition.lock()
      while jobs.isEmpty, !isDone { condition.wait() }
      let next = jobs.isEmpty ? nil : jobs.removeFirst()
      condition.unlock()
      guard let next else { return }
      next.runSynchronously(on: executor.asUnownedTaskExecutor())
    }
  }
}
