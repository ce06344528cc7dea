import Foundation
import Locks
import StoreContract

/// Hears of other programs' saves, by the server's NOTIFY.
///
/// A standby has none: there the end of the history is read each time, which saves without history do not
/// move.
final class ServerListener: Sendable {
  private struct Hearing: @unchecked Sendable {
    // @unchecked: used under the lock.
    var connection: ServerConnection?
    /// The store's, which is the same in all programs; this object's own before it is known.
    var channel: String
    /// The end of the history that a standby had last; nil where the connection hears.
    var end: Int64?
    var count: Int64 = 0
    var isClosed = false
  }

  private static let patience: TimeInterval = 10

  private let own: String
  private let pool: ServerPool
  private let hearing: Locked<Hearing>

  /// - Parameters:
  ///   - own: What this store object says to others.
  ///   - pool: Makes its connection, which is none of the pool's.
  init(own: String, _ pool: ServerPool) {
    (self.own, self.pool) = (own, pool)
    hearing = Locked(Hearing(channel: "strongroom_\(own)"))
  }

  /// Connects, and looks whether what is said comes through, before a store is made; a standby says nothing.
  ///
  /// - Throws: `unsupportedServer` where it does not, as behind a pool of connections that gives each
  ///   transaction another one; `serverUnreachable`.
  func begin() throws {
    try hearing.withLock { hearing in
      try listen(&hearing)
      if hearing.end == nil { try checkHearing(&hearing) }
    }
  }

  /// Hears of a store's saves from now on.
  func follow(_ channel: String) throws {
    try hearing.withLock { hearing in
      hearing.channel = channel
      hearing.count = 0
      guard let connection = hearing.connection else { return try listen(&hearing) }
      do {
        if hearing.end != nil { return hearing.end = try Self.end(connection) }
        try connection.execute("UNLISTEN *; LISTEN \(channel.quoted)")
      } catch let error as ServerError { throw error.storeError }
    }
  }

  private func listen(_ hearing: inout Hearing) throws {
    do {
      let new = try pool.connect()
      hearing.end = nil
      do { try new.execute("LISTEN \(hearing.channel.quoted)") } catch let error as ServerError
        where error.isOfStandby
      {
        // There may be no store yet.
        hearing.end = (try? Self.end(new)) ?? 0
      } catch { try ServerRequirements.known { throw error } }
      hearing.connection = new
    } catch let error as ServerError { throw error.storeError }
  }

  private static func end(_ connection: ServerConnection) throws -> Int64 {
    let rows = try connection.run("SELECT last FROM _history")
    return rows.count == 0 ? 0 : rows.number(0, 0)
  }

  /// How often others have saved; once more after each connection that was lost, since what was saved
  /// meanwhile was not heard.
  ///
  /// No round trip, but for a connection that was lost, and one on a standby.
  var changeCount: Int64 {
    get throws {
      try hearing.withLock { hearing in
        if hearing.isClosed { throw StoreError(.other, "the store is closed; load it first") }
        // A former primary does not say what its successor has.
        if hearing.connection?.identity?.timeline ?? .max < pool.timeline ?? 0 { hearing.connection = nil }
        if hearing.connection == nil {
          try listen(&hearing)
          hearing.count += 1
        }
        if heard(&hearing) == nil {
          hearing.connection = nil
          hearing.count += 1
        }
        return hearing.count
      }
    }
  }

  /// What a store object says to itself when it begins to listen; of no concern to others.
  private static let greeting = "listening "
  private var ownGreeting: String { Self.greeting + own }

  /// Counts what was said; nil where the connection is lost.
  ///
  /// - Returns: Whether the store's own greeting was among it.
  private func heard(_ hearing: inout Hearing, waiting milliseconds: Int32 = 0) -> Bool? {
    guard let connection = hearing.connection, let said = connection.said(waiting: milliseconds) else {
      return nil
    }
    hearing.count += Int64(said.filter { $0 != own && !$0.hasPrefix(Self.greeting) }.count)
    if let known = hearing.end {
      guard let end = try? Self.end(connection) else { return nil }
      if end != known { hearing.count += 1 }
      hearing.end = end
    }
    return said.contains(ownGreeting)
  }

  private func checkHearing(_ hearing: inout Hearing) throws {
    _ = try pool.read {
      try $0.run("SELECT pg_notify($1, $2)", [.text(hearing.channel), .text(ownGreeting)])
    }
    let end = Date(timeIntervalSinceNow: Self.patience)
    while Date() < end {
      guard let isGreeted = heard(&hearing, waiting: 100) else {
        throw StoreError(.serverUnreachable, "the connection to the server was lost; try again")
      }
      if isGreeted { return }
    }
    throw StoreError(
      .unsupportedServer,
      "what NOTIFY says does not come through, by which programs hear of each other's saves; address the"
        + " PostgreSQL server itself, or have its pool give each client a connection of its own")
  }

  func close() {
    hearing.withLock { hearing in
      hearing.connection = nil
      hearing.isClosed = true
    }
  }
}
