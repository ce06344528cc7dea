import Glibc

/// Lets any number of threads write to the stores, or one move a store.
///
/// Who is to move one comes next, however many write.
final class WriteGate: @unchecked Sendable {
  // @unchecked: the system's lock is made to be shared.
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>

  /// A write under way, and the one on the same thread within which it was begun: by a closure that
  /// gives rows, for example.
  private struct Write {
    let lock: UnsafeMutablePointer<pthread_rwlock_t>
    let outer: UnsafeMutablePointer<Write>?
  }

  /// The innermost write of each thread.
  private static let innermost: pthread_key_t = {
    var key: pthread_key_t = 0
    pthread_key_create(&key, nil)
    return key
  }()

  init() {
    lock = .allocate(capacity: 1)
    lock.initialize(to: pthread_rwlock_t())
    var attributes = pthread_rwlockattr_t()
    pthread_rwlockattr_init(&attributes)
    pthread_rwlockattr_setkind_np(&attributes, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
    pthread_rwlock_init(lock, &attributes)
    pthread_rwlockattr_destroy(&attributes)
  }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  /// A write within a write of the same thread does not wait for a mover, who waits for the outer
  /// one.
  func shared<R>(_ body: () throws -> R) rethrows -> R {
    let outer = pthread_getspecific(Self.innermost)?.assumingMemoryBound(to: Write.self)
    var next = outer
    while let write = next {
      if write.pointee.lock == lock { return try body() }
      next = write.pointee.outer
    }
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    var write = Write(lock: lock, outer: outer)
    return try withUnsafeMutablePointer(to: &write) {
      pthread_setspecific(Self.innermost, $0)
      defer { pthread_setspecific(Self.innermost, outer) }
      return try body()
    }
  }

  func exclusively<R>(_ body: () throws -> R) rethrows -> R {
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try body()
  }
}
