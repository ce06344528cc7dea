import Dispatch
import Locks

/// Reports the progress of a fetch that runs elsewhere, and cancels it.
public final class FetchProgress: Sendable {
  /// The progress of the fetch that runs in this task or on this thread; nil without an observer.
  ///
  /// Set around any read of a store, it interrupts what the read waits for.
  @TaskLocal public static var current: FetchProgress?

  /// The number of rows between two reports of a store.
  public static let stride = 256

  private struct State {
    var isCancelled = false
    var interrupt: (@Sendable () -> Void)?
  }

  private let state = Locked(State())
  private let progress: (@Sendable (Int) -> Void)?

  /// Creates a progress.
  ///
  /// `progress` is called on the fetch's own thread with the number of rows read so far.
  public init(progress: (@Sendable (Int) -> Void)? = nil) { self.progress = progress }

  /// Whether the fetch was cancelled.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Cancels the fetch, in the middle of a statement too.
  ///
  /// Callable from any thread, more than once.
  public func cancel() {
    let isRunning = state.withLock {
      $0.isCancelled = true
      $0.interrupt?()
      return $0.interrupt != nil
    }
    // A statement that was about to begin was not interrupted.
    if isRunning { DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { self.cancel() } }
  }

  /// For stores: how to interrupt the fetch while the body runs, which may have such a part itself.
  ///
  /// - Throws: `StoreError` with code `cancelled` when the fetch was cancelled before; any error of
  ///   the body.
  public func interruptible<R>(_ interrupt: @escaping @Sendable () -> Void, _ body: () throws -> R) throws
    -> R
  {
    let (outer, isCancelled) = state.withLock { state in
      defer { state.interrupt = interrupt }
      return (state.interrupt, state.isCancelled)
    }
    // After this, no one interrupts what runs next. A read inside another one gives way to it.
    defer { state.withLock { $0.interrupt = outer } }
    if isCancelled { throw StoreError(.cancelled, "the fetch was cancelled") }
    return try body()
  }

  /// - Throws: `StoreError` with code `cancelled` when the fetch was cancelled.
  package func checkCancellation() throws {
    if isCancelled { throw StoreError(.cancelled, "the fetch was cancelled") }
  }

  /// For stores: reports the number of rows read so far.
  public func report(_ rows: Int) { progress?(rows) }
}
