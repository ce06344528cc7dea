import Foundation
import Locks
import Synchronization

/// What others did to the stores, kept for a context until it next looks: contexts are used on one isolation each, so
/// nobody else may touch their objects.
final class ContextInbox: Sendable {
  enum Changes: Sendable {
    /// Batches, which do not tell their objects.
    case batchInserted, batchUpdated, batchDeleted
    /// Another context's save.
    case saved(ContextChanges)
    /// A commit to a store by somebody who is not of this coordinator, which does not tell its objects.
    case committed(store: UUID)

    var isForMergingContexts: Bool {
      switch self {
      case .saved, .committed: true
      default: false
      }
    }

    func isSame(as other: Changes) -> Bool {
      switch (self, other) {
      case (.batchInserted, .batchInserted), (.batchUpdated, .batchUpdated), (.batchDeleted, .batchDeleted):
        true
      case (.committed(let store), .committed(store: let other)): store == other
      default: false
      }
    }
  }

  private let hasChanges = Atomic<Bool>(false)
  private let pending = Locked<[Changes]>([])
  /// Whether the context wants to hear of saves.
  let wantsSaves = Atomic<Bool>(false)
  /// Sees to it that the context looks soon; nil when it looks whenever it is used.
  let wake = Locked<(@Sendable () -> Void)?>(nil)

  func put(_ item: Changes) {
    if item.isForMergingContexts, !wantsSaves.load(ordering: .relaxed) { return }
    pending.withLock { news in
      // What does not tell its objects is enough once in a row.
      if let last = news.last, last.isSame(as: item) { return }
      news.append(item)
    }
    hasChanges.store(true, ordering: .releasing)
    guard wantsSaves.load(ordering: .relaxed) else { return }
    wake.withLock { $0 }?()
  }

  /// Puts back what could not be taken in.
  func putBack(_ items: [Changes]) {
    pending.withLock { $0 = items + $0 }
    hasChanges.store(true, ordering: .releasing)
  }

  /// Takes everything out.
  func take() -> [Changes] {
    if !hasChanges.load(ordering: .relaxed) { return [] }
    return pending.withLock { news in
      hasChanges.store(false, ordering: .releasing)
      defer { news = [] }
      return news
    }
  }
}

/// The inboxes of the contexts alive.
final class Inboxes: Sendable {
  private struct Slot: @unchecked Sendable {
    // @unchecked: a weak reference is loaded and stored under the mutex only.
    weak var inbox: ContextInbox?
  }

  private let slots = Locked<[Slot]>([])

  func add(_ inbox: ContextInbox) {
    slots.withLock { slots in
      slots.removeAll { $0.inbox == nil }
      slots.append(Slot(inbox: inbox))
    }
  }

  func post(_ news: ContextInbox.Changes, from sender: ContextInbox?) {
    // Outside the lock, since an inbox may wake its context.
    for inbox in slots.withLock({ $0.compactMap(\.inbox) }) where inbox !== sender { inbox.put(news) }
  }
}
