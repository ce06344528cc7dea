import Foundation
import Locks
import Synchronization

/// Changes that other contexts made to the stores, until this context merges them: its objects may
/// be touched in its own isolation only.
final class ContextInbox: Sendable {
  enum Batch: Sendable { case insertion, update, deletion }

  enum Changes: Sendable {
    /// A batch, which does not report its objects.
    case batch(Batch)
    /// Another context's save.
    case saved(ContextChanges)
    /// A commit to a store from outside this coordinator, without its objects.
    case committed(store: UUID)

    var isForMergingContexts: Bool {
      switch self {
      case .saved, .committed: true
      case .batch: false
      }
    }

    func isSame(as other: Changes) -> Bool {
      switch (self, other) {
      case (.batch(let batch), .batch(let other)): batch == other
      case (.committed(let store), .committed(store: let other)): store == other
      default: false
      }
    }
  }

  private let hasChanges = Atomic<Bool>(false)
  private let pending = Locked<[Changes]>([])
  /// Whether the context merges saves automatically.
  let wantsSaves = Atomic<Bool>(false)
  /// Has the context merge soon; nil when it merges whenever it is used.
  let wake = Locked<(@Sendable () -> Void)?>(nil)

  func put(_ item: Changes) {
    if item.isForMergingContexts, !wantsSaves.load(ordering: .relaxed) { return }
    pending.withLock { items in
      // Changes without objects say the same when they are repeated.
      if let last = items.last, last.isSame(as: item) { return }
      items.append(item)
    }
    hasChanges.store(true, ordering: .releasing)
    guard wantsSaves.load(ordering: .relaxed) else { return }
    wake.withLock { $0 }?()
  }

  /// Puts back what could not be merged.
  func putBack(_ items: [Changes]) {
    pending.withLock { $0 = items + $0 }
    hasChanges.store(true, ordering: .releasing)
  }

  /// Takes everything out.
  func take() -> [Changes] {
    if !hasChanges.load(ordering: .relaxed) { return [] }
    return pending.withLock { items in
      hasChanges.store(false, ordering: .releasing)
      defer { items = [] }
      return items
    }
  }
}

/// The inboxes of the contexts alive.
final class Inboxes: Sendable {
  private struct WeakInbox: @unchecked Sendable {
    // @unchecked: a weak reference is loaded and stored under the mutex only.
    weak var inbox: ContextInbox?
  }

  private let inboxes = Locked<[WeakInbox]>([])

  func add(_ inbox: ContextInbox) {
    inboxes.withLock { inboxes in
      inboxes.removeAll { $0.inbox == nil }
      inboxes.append(WeakInbox(inbox: inbox))
    }
  }

  func post(_ changes: ContextInbox.Changes, from sender: ContextInbox?) {
    // Outside the lock, since an inbox may wake its context.
    for inbox in inboxes.withLock({ $0.compactMap(\.inbox) }) where inbox !== sender { inbox.put(changes) }
  }
}
