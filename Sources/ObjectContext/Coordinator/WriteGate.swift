import Glibc

/// Lets any number of threads write to the stores, or one move a store.
final class WriteGate: @unchecked Sendable {
  // @unchecked: the system's lock is made to be shared.
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>

  init() {
    lock = .allocate(capacity: 1)
    lock.initialize(to: pthread_rwlock_t())
    pthread_rwlock_init(lock, nil)
  }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  func shared<R>(_ body: () throws -> R) rethrows -> R {
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try body()
  }

  func exclusively<R>(_ body: () throws -> R) rethrows -> R {
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try body()
  }
}
