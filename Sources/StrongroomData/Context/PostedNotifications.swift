public import Foundation

extension NotificationCenter {
  /// The notifications of a name as they are posted, which Foundation on Linux hands to closures
  /// only: `for await _ in NotificationCenter.default.notifications(named: ModelContext.didSave)`.
  ///
  /// Those that are posted before the first one is waited for come too, from the making of the
  /// iterator on. None is lost, however slow the loop is; ends with the task.
  ///
  /// - Parameters:
  ///   - name: The notifications' name.
  ///   - object: Whose notifications; nil for everybody's.
  /// - Returns: The notifications, in the order in which they are posted.
  @_disfavoredOverload
  public func notifications(
    named name: Notification.Name, object: AnyObject? = nil
  ) -> PostedNotifications {
    PostedNotifications(center: self, name: name, object: object)
  }
}

/// Notifications as they are posted; see `NotificationCenter.notifications(named:object:)`.
public struct PostedNotifications: AsyncSequence, @unchecked Sendable {
  // @unchecked: the center is used from any thread, and the object for its identity only.
  let center: NotificationCenter
  let name: Notification.Name
  let object: AnyObject?

  /// The notifications posted while it is alive.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate struct Posted: @unchecked Sendable {
      // @unchecked: handed over once, from who posts to who waits, as to a closure that observes.
      let notification: Notification
    }

    private let observer: Observer
    private var iterator: AsyncStream<Posted>.AsyncIterator

    fileprivate init(_ sequence: PostedNotifications) {
      let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
      observer = Observer(sequence) { continuation.yield(Posted(notification: $0)) }
      iterator = stream.makeAsyncIterator()
    }

    /// The next notification; nil once the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
      await iterator.next(isolation: actor)?.notification
    }

    /// The next notification; nil once the task is cancelled.
    public mutating func next() async -> Notification? { await iterator.next()?.notification }
  }

  /// Begins to listen.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Listens as long as it is alive.
  private final class Observer {
    private let center: NotificationCenter
    private let token: any NSObjectProtocol

    init(_ sequence: PostedNotifications, _ body: @escaping @Sendable (Notification) -> Void) {
      center = sequence.center
      token = center.addObserver(
        forName: sequence.name, object: sequence.object, queue: nil, using: body)
    }

    deinit { center.removeObserver(token) }
  }
}
