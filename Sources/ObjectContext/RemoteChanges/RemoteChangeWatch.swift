import Dispatch
import Locks
import StoreContract

/// Detects commits of other processes to a store: reads the store's counter after the kernel
/// reported a write to one of its files, and at intervals where the kernel reports none.
///
/// Polling alone would wake an idle program for nothing, or be late.
final class RemoteChangeWatch: Sendable {
  /// A commit can be seen once the disk has it: shortly after the last write that the kernel
  /// reports, or much later on a busy disk.
  ///
  /// So several reads of the counter follow each write, at growing intervals.
  private static let looks: [DispatchTimeInterval] = [
    .milliseconds(15), .milliseconds(60), .milliseconds(250), .seconds(1), .seconds(4),
  ]
  private static let pollInterval = DispatchTimeInterval.milliseconds(500)

  private struct State: Sendable {
    var count: Int64 = 0
    /// The look that comes next; nil when none does.
    var next: Int?
    /// Rises with each look that is planned, so that one planned earlier knows that it is none any
    /// more.
    var turn = 0
    /// Whether something was written since the first look was planned.
    var isPressed = false
    var isPolling = false
    var files: [FileEvents.Watch] = []
  }

  let store: any IncrementalStore
  private let queue = DispatchQueue(label: "strongroom.remote-changes")
  private let state = Locked(State())
  private let didChange: @Sendable (any IncrementalStore) -> Void

  /// - `tell`: Called on a queue of the watch's own.
  init(_ store: any IncrementalStore, tell: @escaping @Sendable (any IncrementalStore) -> Void) {
    self.store = store
    self.didChange = tell
    queue.async { [weak self] in self?.begin() }
  }

  private func begin() {
    do {
      if try store.remoteChangeCount == nil { return }
    } catch {
      // It cannot answer now, and is asked again.
    }
    let urls = store.remoteChangeFiles
    let files = urls.compactMap { url in FileEvents.shared?.watch(url) { [weak self] in self?.wasWritten() } }
    state.withLock {
      $0.files = files
      $0.isPolling = files.isEmpty || files.count < urls.count
    }
    look()
    plan(0)
  }

  private func wasWritten() {
    let isPlanned = state.withLock { state in
      if state.next == 0 { state.isPressed = true }
      return state.next == 0
    }
    // However fast others write, no look is put off.
    if !isPlanned { plan(0) }
  }

  private func plan(_ place: Int) {
    let (turn, isPolling) = state.withLock { state in
      state.turn += 1
      state.next = place
      return (state.turn, state.isPolling)
    }
    queue.asyncAfter(deadline: .now() + (isPolling ? Self.pollInterval : Self.looks[place])) { [weak self] in
      guard let self, state.withLock({ $0.turn }) == turn else { return }
      look()
      let following = state.withLock { state -> Int? in
        let following = state.isPressed || state.isPolling ? 0 : place + 1
        state.isPressed = false
        state.next = following < Self.looks.count ? following : nil
        return state.next
      }
      if let following { plan(following) }
    }
  }

  private func look() {
    // A store that cannot answer now is asked again.
    guard let count = (try? store.remoteChangeCount) ?? nil else { return }
    let isNew = state.withLock { state in
      defer { state.count = count }
      return state.count != count
    }
    if isNew { didChange(store) }
  }
}
