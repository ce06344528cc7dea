import CLibPQ
import Foundation
import Locks
import StoreContract

/// One connection to the server, for one thread at a time.
final class ServerConnection {
  private let handle: OpaquePointer
  private static let mostPrepared = 500
  /// What the server takes in one value.
  private static let longestParameter = 1 << 30

  private var prepared: [String: String] = [:]
  private let roundTrips: Locked<Int>
  private let watch: AnswerWatch
  /// Whether an answer was waited for in vain.
  private var isSilent = false
  /// Which server it is; nil where that is not known.
  private(set) var identity: ServerIdentity?

  /// Connects.
  ///
  /// - Parameters:
  ///   - url: Where to; libpq's form of addresses.
  ///   - settings: What holds unless the address says otherwise.
  ///   - place: The one of the address's servers that it has to be; empty for any.
  ///   - roundTrips: Counts how often something is sent and answered.
  ///   - watch: What becomes of a statement that is not answered.
  /// - Throws: `ServerError` where the server does not answer, or refuses the user.
  init(
    _ url: String, _ settings: [ConnectionSetting], at place: [ConnectionSetting] = [],
    _ roundTrips: Locked<Int>, _ watch: AnswerWatch
  ) throws {
    (self.roundTrips, self.watch) = (roundTrips, watch)
    guard let options = PQconninfoParse(url, nil) else { throw StoreError.unreadableAddress }
    PQconninfoFree(options)
    // What comes later holds; an address in `dbname` is taken apart there.
    let all = settings + [ConnectionSetting("dbname", url)] + place
    let new = try ConnectionSetting.withStrings(all) { names, values in
      guard let new = PQconnectdbParams(names, values, 1) else {
        throw StoreError(.other, "there is no memory for a connection; try again")
      }
      return new
    }
    // Not the object's yet, which would end it again.
    guard PQstatus(new) == CONNECTION_OK else {
      defer { PQfinish(new) }
      throw ServerError(connection: new)
    }
    // The server's notices are for people at a terminal.
    PQsetNoticeProcessor(new, { _, _ in }, nil)
    handle = new
  }

  deinit { PQfinish(handle) }

  /// The server that it leads to, one of several that an address may have.
  var place: [ConnectionSetting] {
    [("host", PQhost(handle)), ("hostaddr", PQhostaddr(handle)), ("port", PQport(handle))]
      .map { ConnectionSetting($0.0, $0.1.map { String(cString: $0) } ?? "") }
  }

  /// Asks which server it is; one round trip.
  func identify() throws {
    do { identity = ServerIdentity(try ask(ServerIdentity.statement)) } catch let error as ServerError
      where !error.isConnectionLost
    {
      // Some hosted servers lack the functions.
    }
  }

  /// Whether it is as it was when it was made: idle, or for a pinned moment in its transaction.
  func isUsable(inTransaction: Bool) -> Bool {
    !isSilent && PQstatus(handle) == CONNECTION_OK
      && PQtransactionStatus(handle) == (inTransaction ? PQTRANS_INTRANS : PQTRANS_IDLE)
  }

  /// What was said on the channels that it listens to, since it was asked last; nil where it was lost.
  ///
  /// The first is waited for so many milliseconds.
  func said(waiting milliseconds: Int32 = 0) -> [String]? {
    var said: [String] = []
    var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    if milliseconds > 0 { poll(&socket, 1, milliseconds) }
    // Each look takes in one buffer.
    repeat {
      guard PQconsumeInput(handle) == 1 else { return nil }
      while let notification = PQnotifies(handle) {
        said.append(String(cString: notification.pointee.extra))
        PQfreemem(notification)
      }
    } while poll(&socket, 1, 0) > 0
    return said
  }

  /// Executes statements without parameters, in one round trip.
  func execute(_ sql: String) throws {
    let result = answer(PQsendQuery(handle, sql))
    defer { PQclear(result) }
    let answers = [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY]
    guard answers.contains(PQresultStatus(result)) else { throw failure(result) }
  }

  /// Executes a statement without parameters, whose values come as texts: one round trip.
  func ask(_ sql: String) throws -> ServerRows { try rows(answer(PQsendQuery(handle, sql))) }

  /// Waits for the answer to what was sent, and takes its last part; nil where none came.
  private func answer(_ isSent: Int32) -> OpaquePointer? {
    roundTrips.withLock { $0 += 1 }
    var last: OpaquePointer?
    guard isSent == 1 else { return nil }
    while isAnswered(), let next = PQgetResult(handle) {
      // Why the server ends a connection comes before its end.
      if last != nil, PQresultStatus(last) == PGRES_FATAL_ERROR {
        PQclear(next)
      } else {
        PQclear(last)
        last = next
      }
    }
    return last
  }

  /// Waits until an answer is there, or the connection is lost.
  private func isAnswered() -> Bool {
    var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    let process = identity?.process ?? ServerProcess(number: PQbackendPID(handle), start: nil)
    while PQisBusy(handle) == 1 {
      if poll(&socket, 1, Int32(min(watch.interval * 1000, 2e9))) != 0 {
        // What became of a connection that was lost is in the result.
        if PQconsumeInput(handle) == 0 { return true }
      } else if !watch.isWorking(process, at: place), poll(&socket, 1, 1000) == 0 {
        watch.abandoned.withLock { $0.append(process) }
        isSilent = true
        return false
      }
    }
    return true
  }

  private func failure(_ result: OpaquePointer?) -> ServerError {
    isSilent ? .silent : ServerError(result, handle)
  }

  /// Executes a statement, which is prepared at its first use: one round trip, then two.
  @discardableResult
  func run(_ sql: String, _ parameters: [ServerParameter] = []) throws -> ServerRows {
    let name = try prepare(sql)
    var bytes: [UInt8] = []
    var places: [Int] = []
    for parameter in parameters {
      if parameter.bytes.count > Self.longestParameter {
        throw StoreError(.invalidValue, "the server takes 1 GB of one property at once; save in parts")
      }
      places.append(bytes.count)
      bytes += parameter.bytes
    }
    // Without an address, a parameter of no bytes would be a null.
    bytes.append(0)
    let lengths = parameters.map { Int32($0.bytes.count) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    let result = bytes.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let values = places.map { place in start.map { $0 + place } }
      return answer(
        PQsendQueryPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1))
    }
    return try rows(result)
  }

  private func prepare(_ sql: String) throws -> String {
    if let known = prepared[sql] { return known }
    if prepared.count == Self.mostPrepared {
      try execute("DEALLOCATE ALL")
      prepared = [:]
    }
    let name = "s\(prepared.count)"
    let result = answer(PQsendPrepare(handle, name, sql, 0, nil))
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure(result) }
    prepared[sql] = name
    return name
  }

  private func rows(_ result: OpaquePointer?) throws -> ServerRows {
    guard let result, [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
      let error = failure(result)
      PQclear(result)
      throw error
    }
    return ServerRows(result)
  }

  /// A transaction in which a statement failed ends with another answer than this one.
  private func commit() throws {
    let result = answer(PQsendQuery(handle, "COMMIT"))
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure(result) }
    let said = PQcmdStatus(result).map { String(cString: $0) }
    if said != "COMMIT" { throw ServerError.rolledBack }
  }

  /// Runs a closure in a transaction; what it throws rolls back.
  func transaction<R>(_ begin: String = "BEGIN", _ body: () throws -> R) throws -> R {
    try execute(begin)
    let value: R
    do { value = try body() } catch {
      // A connection that does not even roll back is thrown away by the pool.
      do { try execute("ROLLBACK") } catch {}
      throw error
    }
    do { try commit() } catch let error as ServerError { throw CommitFailure(error: error) }
    return value
  }
}

/// A commit that failed: unless the server says so, it is unknown whether it was done.
struct CommitFailure: Error {
  let error: ServerError
}
