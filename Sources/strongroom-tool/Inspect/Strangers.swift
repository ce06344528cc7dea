import Locks
import NIOCore

/// The connections that have not shown the page's secret yet.
///
/// Every user of the machine can open some. Each has a short time, and the oldest gives way to a new one, so
/// that they never take all of the program's files.
final class Strangers: Sendable {
  static let most = 64
  /// In which a connection has to send the head of its first request.
  static let patience = TimeAmount.seconds(5)

  private let waiting = Locked<[any Channel]>([])

  func add(_ channel: any Channel) {
    let oldest = waiting.withLock { waiting in
      waiting.append(channel)
      return waiting.count > Self.most ? waiting.removeFirst() : nil
    }
    oldest?.close(promise: nil)
  }

  /// Its connection has shown the secret, or is closed.
  func remove(_ channel: any Channel) { waiting.withLock { $0.removeAll { $0 === channel } } }
}
