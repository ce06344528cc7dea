import Dispatch
import Locks

/// Watches a fetch that runs elsewhere: hears how far it is, and stops it.
public final class FetchProgress: Sendable {
  /// The monitor of the fetch that runs in this task or on this thread; nil when nobody watches.
  @TaskLocal public static var current: FetchProgress?

  /// Every how many rows a store reports.
  public static let stride = 256

  private struct State {
    var isCancelled = false
    var interrupt: (@Sendable () -> Void)?
  }

  private let state = Locked(State())
  private let progress: (@Sendable (Int) -> Void)?

  /// Makes a monitor. `progress` is called on the fetch's own thread with the number of rows read so far.
  public init(progress: (@Sendable (Int) -> Void)? = nil) { self.progress = progress }

  /// Whether the fetch is to stop.
  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Stops the fetch, in the middle of a statement too. Callable from anywhere, more than once.
  public func cancel() {
    let isRunning = state.withLock {
      $0.isCancelled = true
      $0.interrupt?()
      return $0.interrupt != nil
    }
    // A statement that was about to begin did not hear it.
    if isRunning { DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { self.cancel() } }
  }

  /// For stores: how to stop what runs while the body does.
  /// - Throws: `StoreError` with code `cancelled` when the fetch was stopped before; what the body throws.
  public func interruptible<R>(_ interrupt: @escaping @Sendable () -> Void, _ body: () throws -> R) throws
    -> R
  {
    let isCancelled = state.withLock {
      $0.interrupt = interrupt
      return $0.isCancelled
    }
    // After this no one interrupts what runs next.
    defer { state.withLock { $0.interrupt = nil } }
    if isCancelled { throw StoreError(.cancelled, "the fetch was cancelled") }
    return try body()
  }

  /// For stores: says how many rows are read.
  public func report(_ rows: Int) { progress?(rows) }
}
