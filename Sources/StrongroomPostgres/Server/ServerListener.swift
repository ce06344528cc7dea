import Foundation
import Locks
import StoreContract

/// Hears of other programs' saves, by the server's NOTIFY.
final class ServerListener: Sendable {
  private struct Hearing: @unchecked Sendable {
    // @unchecked: used under the lock.
    var connection: ServerConnection?
    var count: Int64 = 0
    var isClosed = false
  }

  private let channel: String
  private let own: String
  private let connect: @Sendable () throws -> ServerConnection
  private let hearing = Locked(Hearing())

  /// - Parameters:
  ///   - channel: The store's, the same in all programs.
  ///   - own: What this store object says there.
  ///   - connect: Makes a connection.
  init(
    _ channel: String, own: String, connect: @escaping @Sendable () throws -> ServerConnection
  ) { (self.channel, self.own, self.connect) = (channel, own, connect) }

  /// Begins.
  func listen() throws { try hearing.withLock { $0.connection = try listening() } }

  private func listening() throws -> ServerConnection {
    do {
      let new = try connect()
      try ServerRequirements.known { try new.execute("LISTEN \(channel.quoted)") }
      return new
    } catch let error as ServerError { throw error.storeError }
  }

  /// How often others have saved; once more after each connection that was lost, since what was saved
  /// meanwhile was not heard.
  ///
  /// No round trip, but for a connection that was lost.
  var changeCount: Int64 {
    get throws {
      try hearing.withLock { hearing in
        if hearing.isClosed { throw StoreError(.other, "the store is closed; load it first") }
        if hearing.connection == nil {
          hearing.connection = try listening()
          hearing.count += 1
        }
        hear(&hearing)
        return hearing.count
      }
    }
  }

  /// Takes in what was said.
  /// - Returns: Whether the store's own was among it.
  @discardableResult
  private func hear(_ hearing: inout Hearing, waiting milliseconds: Int32 = 0) -> Bool {
    guard let said = hearing.connection?.said(waiting: milliseconds) else {
      hearing.connection = nil
      hearing.count += 1
      return false
    }
    hearing.count += Int64(said.filter { $0 != own }.count)
    return said.contains(own)
  }

  /// Waits until it hears what the store itself said.
  /// - Throws: `unsupportedServer` where it does not, as behind a pool of connections that gives each
  ///   transaction another one.
  func waitForOwn() throws {
    try hearing.withLock { hearing in
      let end = Date(timeIntervalSinceNow: Self.patience)
      while hearing.connection != nil, Date() < end {
        if hear(&hearing, waiting: 100) { return }
      }
      throw StoreError(
        .unsupportedServer,
        "what NOTIFY says does not come through, by which programs hear of each other's saves; address the"
          + " PostgreSQL server itself, or have its pool give each client a connection of its own")
    }
  }
  private static let patience: TimeInterval = 10

  func close() {
    hearing.withLock { hearing in
      hearing.connection = nil
      hearing.isClosed = true
    }
  }
}
