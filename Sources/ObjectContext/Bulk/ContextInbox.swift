import Synchronization

/// What others did to the store, kept for a context until it next looks: contexts are used on one isolation each, so
/// nobody else may touch their objects.
final class ContextInbox: Sendable {
  enum News: Int, Sendable { case inserted = 1, updated = 2, deleted = 4 }

  private let waiting = Atomic<Int>(0)

  func put(_ news: News) { waiting.bitwiseOr(news.rawValue, ordering: .acquiringAndReleasing) }

  /// Takes everything out.
  func take() -> Set<News> {
    if waiting.load(ordering: .relaxed) == 0 { return [] }
    let bits = waiting.exchange(0, ordering: .acquiringAndReleasing)
    return Set([.inserted, .updated, .deleted].filter { bits & $0.rawValue != 0 })
  }
}

/// The inboxes of the contexts alive.
final class Inboxes: Sendable {
  private struct Slot: @unchecked Sendable {
    // @unchecked: a weak reference is loaded and stored under the mutex only.
    weak var inbox: ContextInbox?
  }

  private let slots = Mutex<[Slot]>([])

  func add(_ inbox: ContextInbox) {
    slots.withLock { slots in
      slots.removeAll { $0.inbox == nil }
      slots.append(Slot(inbox: inbox))
    }
  }

  func post(_ news: ContextInbox.News, from sender: ContextInbox) {
    slots.withLock { slots in
      for slot in slots {
        if let inbox = slot.inbox, inbox !== sender { inbox.put(news) }
      }
    }
  }
}
