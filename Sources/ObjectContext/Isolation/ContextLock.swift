import Foundation
import Synchronization

/// A lock that a thread may take again while it has it, and that knows whether this thread has it.
final class ContextLock: Sendable {
  let name: String?
  private let lock = NSRecursiveLock()
  /// The thread that has the lock, or 0.
  private let owner = Atomic<UInt>(0)

  init(_ name: String?) { self.name = name }

  // Only this thread itself can have put its own number there.
  var isHeld: Bool { owner.load(ordering: .relaxed) == Self.thread }

  private static var thread: UInt { UInt(pthread_self()) }

  func locked<R>(_ body: () throws -> R) rethrows -> R {
    let isOutermost = !isHeld
    lock.lock()
    owner.store(Self.thread, ordering: .relaxed)
    defer {
      if isOutermost { owner.store(0, ordering: .relaxed) }
      lock.unlock()
    }
    return try body()
  }
}
