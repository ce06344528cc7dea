import Glibc
import Locks

/// The pools that this process has open.
///
/// They are closed when the program ends, so that no log remains beside a file and a copy of the
/// file has every save.
enum OpenPools {
  private struct Reference: Sendable { weak var pool: ConnectionPool? }
  private struct State: Sendable {
    var pools: [ObjectIdentifier: Reference] = [:]
    /// The process that closes them at its end; a child that it forks has other business.
    var process: pid_t = 0
  }

  private static let state = Locked(State())

  static func add(_ pool: ConnectionPool) {
    state.withLock { state in
      state.pools[ObjectIdentifier(pool)] = Reference(pool: pool)
      guard state.process != getpid() else { return }
      state.process = getpid()
      atexit { OpenPools.closeIdle() }
    }
  }

  static func remove(_ pool: ConnectionPool) {
    state.withLock { $0.pools[ObjectIdentifier(pool)] = nil }
  }

  private static func closeIdle() {
    let pools = state.withLockIfAvailable { state in
      state.process == getpid() ? state.pools.values.compactMap(\.pool) : []
    }
    // Snapshots first: they prevent the checkpoint.
    for pool in (pools ?? []).sorted(by: { $0.isPinned && !$1.isPinned }) { pool.closeIfIdle() }
  }
}
