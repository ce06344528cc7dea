package import Glibc

/// A value that one thread at a time may touch, behind a lock of the system's.
///
/// As Swift's `Mutex`, but sanitizers see this lock being handed over: a contended `Mutex` is passed on by the kernel, and
/// whatever it guards then looks like a race.
package final class Locked<Value>: @unchecked Sendable {
  // @unchecked: the value is touched under the lock only, and comes in and goes out by `withLock` alone.
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @exclusivity(unchecked) @usableFromInline var value: Value

  package init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @inlinable
  package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Nil when another thread has it.
  @inlinable
  package func withLockIfAvailable<R>(_ body: (inout Value) throws -> R) rethrows -> R? {
    guard pthread_mutex_trylock(mutex) == 0 else { return nil }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
