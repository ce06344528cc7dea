package import Glibc

/// A value protected by a pthread mutex: one thread at a time may access it.
///
/// This is Swift's `Mutex` in a form that sanitizers understand. The kernel hands over a contended
/// `Mutex`, which ThreadSanitizer does not see, so that it reports a race on the protected value.
package final class Locked<Value>: @unchecked Sendable {
  // @unchecked: the value is accessed only under the lock, through `withLock` and
  // `withLockIfAvailable`.
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

  /// Runs a closure under the lock; nil when another thread has the lock.
  @inlinable
  package func withLockIfAvailable<R>(_ body: (inout Value) throws -> R) rethrows -> R? {
    guard pthread_mutex_trylock(mutex) == 0 else { return nil }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Takes the lock until `unlock()`; false when another thread has it.
  package func lockIfAvailable() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  /// Gives the lock up that `lockIfAvailable()` took.
  package func unlock() { pthread_mutex_unlock(mutex) }

  /// The value, for the thread that took the lock.
  package var locked: Value { value }
}
