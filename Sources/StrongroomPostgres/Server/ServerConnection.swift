import CLibPQ
import Foundation
import Locks
import StoreContract

/// One connection to the server, for one thread at a time.
final class ServerConnection {
  let handle: OpaquePointer
  private static let mostPrepared = 500

  @exclusivity(unchecked) private var pending: [PendingStep] = []
  /// How many of those are sent already.
  @exclusivity(unchecked) private var sent = 0
  /// The statements that are sent, and not answered.
  @exclusivity(unchecked) private var unanswered: [(sql: String, name: String, isNew: Bool)] = []
  /// The names of the prepared statements.
  @exclusivity(unchecked) private var prepared: [StatementText: String] = [:]
  let roundTrips: Locked<Int>
  private let watch: AnswerWatch
  private var answers = AnswerWait()
  /// Whether an answer was waited for in vain.
  private var isSilent = false
  /// Whether it is not to be used again.
  var isDiscarded = false
  /// Which server it is; nil where that is not known.
  private(set) var identity: ServerIdentity?
  /// Whether the server has answered since the last transaction was begun.
  private(set) var isAnswered = false
  /// How many saves were begun on it that leave a number.
  var saves: Int64 = 0
  /// What tells its saves from those of other connections.
  let identifier = UUID()
  /// Whether the pipeline is a transaction without `BEGIN`: the server commits at its end, so that nothing
  /// may wait for an answer before.
  var isOneTrip = false
  /// How the server plans what comes next; nil where an error may have taken a change back.
  var planning: ServerPlanning? = .asSet
  /// Whether rows were copied behind a savepoint, which is released with the next statement.
  var hasSavepoint = false

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
    ConnectionSetting.asksNoTerminal
    // What comes later holds; an address in `dbname` is taken apart there.
    let all = settings + [ConnectionSetting("dbname", url)] + place
    let new = try ConnectionSetting.withStrings(all) { names, values in
      guard let new = PQconnectdbParams(names, values, 1) else {
        throw StoreError(.other, "there is no memory for a connection; try again")
      }
      return new
    }
    if PQstatus(new) != CONNECTION_OK, ServerError(connection: new).isUnknownRefusal {
      // Asked again, the server's answer has its state.
      PQsetErrorVerbosity(new, PQERRORS_VERBOSE)
      PQreset(new)
    }
    // Not the object's yet, which would end it again.
    guard PQstatus(new) == CONNECTION_OK else {
      defer { PQfinish(new) }
      throw ServerError(connection: new)
    }
    // The server's notices are for people at a terminal.
    PQsetNoticeProcessor(new, { _, _ in }, nil)
    // Else what is too long for the socket is waited for without end where the server stands still.
    PQsetnonblocking(new, 1)
    handle = new
  }

  deinit { PQfinish(handle) }

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
    !isSilent && !isDiscarded && PQstatus(handle) == CONNECTION_OK
      && PQtransactionStatus(handle) == (inTransaction ? PQTRANS_INTRANS : PQTRANS_IDLE)
  }

  /// Whether the server has ended it, as far as that can be known without asking.
  var isEnded: Bool {
    var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
    while poll(&socket, 1, 0) > 0 { if PQconsumeInput(handle) == 0 { return true } }
    return PQstatus(handle) != CONNECTION_OK
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

  // MARK: Statements

  /// Executes a statement with the next one whose answer is waited for, in the same round trip.
  ///
  /// - Parameters:
  ///   - sql: The statement, which is prepared at its first use.
  ///   - parameters: Its parameters.
  ///   - body: Is given the rows, in the order of the statements.
  func add(
    _ sql: String, _ parameters: [ServerParameter] = [],
    _ body: @escaping (ServerRows) throws -> Void = { _ in }
  ) {
    add(sql, ServerValues(parameters), body)
  }

  /// The same with parameters that are in one piece.
  func add(
    _ sql: String, _ parameters: ServerValues, _ body: @escaping (ServerRows) throws -> Void = { _ in }
  ) {
    pending.append(.statement(ServerStatement(sql: sql, parameters: parameters, body: body)))
  }

  /// Calls a closure when all that was added before it is answered.
  func addCheck(_ body: @escaping () throws -> Void) { pending.append(.check(body)) }

  /// Executes a statement, and before it what was added, in one round trip.
  @discardableResult
  func run(_ sql: String, _ parameters: [ServerParameter] = []) throws -> ServerRows {
    try run(sql, ServerValues(parameters))
  }

  @discardableResult
  func run(_ sql: String, _ parameters: ServerValues) throws -> ServerRows {
    var found: ServerRows?
    let statement = ServerStatement(sql: sql, parameters: parameters) { found = $0 }
    // One alone needs no pipeline.
    if pending.isEmpty, !hasSavepoint, !isOneTrip, let name = prepared[StatementText(sql)] {
      try statement.check()
      return try rows(answer(statement.send(to: handle, as: name, preparing: false) ? 1 : 0))
    }
    pending.append(.statement(statement))
    try flush()
    guard let found else { throw ServerError(nil, handle) }
    return found
  }

  /// Executes statements without parameters, in one round trip of their own.
  func execute(_ sql: String) throws {
    try flush()
    let result = answer(PQsendQuery(handle, release() + sql))
    defer { PQclear(result) }
    let answers = [PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY]
    guard answers.contains(PQresultStatus(result)) else { throw failure(result) }
  }

  /// Executes a statement without parameters, whose values come as texts: one round trip.
  func ask(_ sql: String) throws -> ServerRows { try rows(answer(PQsendQuery(handle, sql))) }

  /// Waits for the answer to what was sent, and takes its last part; nil where none came.
  func answer(_ isSent: Int32) -> OpaquePointer? {
    roundTrips.withLock { $0 += 1 }
    var last: OpaquePointer?
    guard isSent == 1 else { return nil }
    while waitForAnswer(), let next = PQgetResult(handle) {
      // Why the server ends a connection comes before its end.
      if last != nil, PQresultStatus(last) == PGRES_FATAL_ERROR {
        PQclear(next)
      } else {
        PQclear(last)
        last = next
      }
      // It waits for the rows that are to be copied.
      if PQresultStatus(last) == PGRES_COPY_IN { break }
    }
    return last
  }

  /// Waits until an answer is there, or the connection is lost.
  private func waitForAnswer() -> Bool { wait { _ in PQisBusy(handle) == 1 } }

  /// Waits until the network has taken what was sent, or the connection is lost; false where it never does.
  func waitUntilSent() -> Bool { wait { isSending in isSending } }

  /// Waits as long as it is to, and sends meanwhile what is left to send.
  private func wait(_ isToWait: (_ isSending: Bool) -> Bool) -> Bool {
    var socket = pollfd(fd: PQsocket(handle), events: 0, revents: 0)
    let process = identity?.process ?? ServerProcess(number: PQbackendPID(handle), start: nil)
    while true {
      let isSending = PQflush(handle) == 1
      if !isToWait(isSending) { return true }
      // What TLS has taken in already is not to be seen at the socket.
      if PQsslInUse(handle) == 1 {
        if PQconsumeInput(handle) == 0 || !isToWait(isSending) { return true }
      }
      socket.events = Int16(isSending ? POLLIN | POLLOUT : POLLIN)
      if answers.event(of: &socket, milliseconds: Int32(min(watch.interval * 1000, 2e9))) != 0 {
        // What became of a connection that was lost is in the result.
        if PQconsumeInput(handle) == 0 { return true }
      } else if !watch.isWorking(process, at: place), poll(&socket, 1, 1000) == 0 {
        giveUp(process)
        isSilent = true
        return false
      }
    }
  }

  func failure(_ result: OpaquePointer?) -> ServerError {
    isSilent ? .silent : ServerError(result, handle)
  }

  /// Sends what was added without waiting for the answers, so that the server begins with it.
  ///
  /// It is one round trip with what is sent later. To be called in a transaction.
  func push() throws {
    try send()
    if !unanswered.isEmpty, PQflush(handle) < 0 { throw ServerError(nil, handle) }
  }

  /// Executes what was added, in one round trip; none where no statement was.
  ///
  /// After a statement that fails the server ignores the others. The closures of those before it are called
  /// first: what one of them throws is the error then.
  /// - Parameter isEnd: Whether it ends a transaction of one round trip.
  /// - Throws: `Unexpected` in a transaction of one round trip that has not come to its end.
  func flush(isEnd: Bool = false) throws {
    if isOneTrip, !isEnd { throw Unexpected() }
    do { try send() } catch {
      abandon()
      throw error
    }
    var all = pending
    (pending, sent) = ([], 0)
    let answered = try answersToAll { for place in all.indices { all[place].forgetParameters() } }
    var answers = answered.makeIterator()
    for one in all {
      switch one {
      case .check(let body): try body()
      case .statement(let statement):
        guard let answer = answers.next() else { throw ServerError(nil, handle) }
        try statement.body(try answer.get())
      }
    }
    if let end = answers.next() { _ = try end.get() }
  }

  /// Sends what was added and is not sent; the first begins a pipeline.
  private func send() throws {
    var new = pending[sent...]
    guard new.contains(where: \.isStatement) else { return }
    if hasSavepoint {
      let released = ServerStatement(sql: release(), parameters: ServerValues()) { _ in }
      pending.insert(.statement(released), at: sent)
      new = pending[sent...]
    }
    for case .statement(let statement) in new { try statement.check() }
    if unanswered.isEmpty {
      if prepared.count + new.count > Self.mostPrepared {
        PQclear(answer(PQsendQuery(handle, "DEALLOCATE ALL")))
        prepared = [:]
      }
      guard PQenterPipelineMode(handle) == 1 else { throw ServerError(nil, handle) }
    }
    for case .statement(let statement) in new {
      let text = StatementText(statement.sql)
      let known = prepared[text] ?? unanswered.first { $0.sql == statement.sql }?.name
      let name = known ?? "s\(prepared.count + unanswered.lazy.filter(\.isNew).count)"
      unanswered.append((statement.sql, name, known == nil))
      guard statement.send(to: handle, as: name, preparing: known == nil) else {
        throw ServerError(nil, handle)
      }
    }
    sent = pending.count
  }

  /// Takes the answers to what was sent, up to the first that failed, and ends the pipeline.
  ///
  /// The end is an answer of its own where it fails: without `BEGIN` the server commits there.
  /// - Parameter meanwhile: Is called while the server works.
  /// - Returns: What the server said to each statement, and to the end where that is an answer.
  /// - Throws: `ServerError` where the end cannot be sent.
  private func answersToAll(_ meanwhile: () -> Void = {}) throws -> [Result<ServerRows, ServerError>] {
    if unanswered.isEmpty { return [] }
    roundTrips.withLock { $0 += 1 }
    defer {
      unanswered.removeAll(keepingCapacity: true)
      PQexitPipelineMode(handle)
    }
    guard PQpipelineSync(handle) == 1 else { throw ServerError(nil, handle) }
    meanwhile()
    var answers: [Result<ServerRows, ServerError>] = []
    answers.reserveCapacity(unanswered.count + 1)
    for (sql, name, isNew) in unanswered {
      if isNew {
        if case .failure(let error) = nextAnswer() {
          answers.append(.failure(error))
          break
        }
        prepared[StatementText(sql)] = name
      }
      answers.append(nextAnswer())
      if case .failure = answers[answers.count - 1] { break }
      // It says nothing of the transaction.
      if !isAnswered, !ServerPlanning.changes.contains(sql) { isAnswered = true }
    }
    if let error = skipToEnd(), answers.count == unanswered.count { answers.append(.failure(error)) }
    return answers
  }

  /// Has the server's process ended by the next connection that is made: it may not know that this one was
  /// lost, and wait with its locks for what was on its way.
  func giveUp() { if let process = identity?.process { giveUp(process) } }

  private func giveUp(_ process: ServerProcess) {
    // Its number alone may be another one's when it is to be ended.
    if process.start != nil { watch.abandoned.withLock { $0.append(process) } }
  }

  /// Forgets what was added; what is sent already is executed, and taken back where it is a transaction.
  private func abandon() {
    (pending, sent) = ([], 0)
    // Without a failure the end would commit; a connection whose pipeline is not ended is thrown away.
    if isOneTrip, !unanswered.isEmpty,
      PQsendQueryParams(handle, "SELECT 1 / 0", 0, nil, nil, nil, nil, 0) != 1
    {
      return unanswered.removeAll()
    }
    _ = try? answersToAll()
  }

  /// The answer to the next statement of a pipeline, or to rows that were copied.
  func nextAnswer() -> Result<ServerRows, ServerError> {
    guard waitForAnswer() else { return .failure(.silent) }
    let result = PQgetResult(handle)
    if result != nil { while waitForAnswer(), let end = PQgetResult(handle) { PQclear(end) } }
    return Result { () throws(ServerError) in try rows(result) }
  }

  /// Owns the result.
  private func rows(_ result: OpaquePointer?) throws(ServerError) -> ServerRows {
    guard let result, [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
      let error = failure(result)
      PQclear(result)
      throw error
    }
    return ServerRows(result)
  }

  /// Reads up to the end of the pipeline; returns why the server did not come to it.
  private func skipToEnd() -> ServerError? {
    var found: ServerError?
    while !isSilent, PQstatus(handle) == CONNECTION_OK, waitForAnswer() {
      guard let result = PQgetResult(handle) else { continue }
      defer { PQclear(result) }
      if PQresultStatus(result) == PGRES_PIPELINE_SYNC { return found }
      if PQresultStatus(result) == PGRES_FATAL_ERROR { found = found ?? failure(result) }
    }
    return found ?? failure(nil)
  }

  // MARK: Transactions

  /// To be called before a transaction begins.
  func willBegin() {
    (isAnswered, hasSavepoint, isOneTrip) = (false, false, false)
  }

  /// Forgets what was added, and ends the transaction.
  func rollBack() {
    abandon()
    (hasSavepoint, isOneTrip) = (false, false)
    // A connection that does not even roll back is thrown away by the pool.
    if PQtransactionStatus(handle) != PQTRANS_IDLE { do { try execute("ROLLBACK") } catch {} }
  }
}
