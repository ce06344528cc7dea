public import Foundation
import Glibc
import ObjectModel

extension InMemoryStore {
  /// What was saved, for as long as the store is open.
  ///
  /// Values before and after changes are not recorded.
  struct History: Sendable {
    var transactions: [PersistentHistoryTransaction] = []
    var consumers: [String: PersistentHistoryConsumer] = [:]
    var lastNumber: Int64 = 0
    var lastChange: Int64 = 0

    /// The number up to which transactions were deleted, so that tokens of those before it are expired.
    var deletedNumber: Int64 = 0
  }

  private func token(_ number: Int64) -> PersistentHistoryToken {
    // Every store in memory has a UUID of its own, and no copies.
    PersistentHistoryToken([identifier: .init(transactionNumber: number, fingerprint: Data())])
  }

  /// Adds a save to the history.
  ///
  /// - Parameters:
  ///   - save: The save.
  ///   - old: The rows before it.
  ///   - state: What the save made of them.
  func record(_ save: SaveChangesRequest, before old: State, in state: inout State) {
    var changes: [PersistentHistoryChange] = []
    func add(
      _ id: ManagedObjectID, _ type: PersistentHistoryChange.ChangeType,
      _ properties: PropertyIndexSet? = nil,
      _ tombstone: [String: AttributeValue]? = nil
    ) {
      state.history.lastChange += 1
      let updated = properties.map { indexes in id.entity.properties.filter { indexes.contains($0.index) } }
      changes.append(
        PersistentHistoryChange(
          changeID: state.history.lastChange, transactionNumber: state.history.lastNumber + 1,
          changedObjectID: id, changeType: type, updatedProperties: updated, tombstone: tombstone))
    }
    for node in save.inserted { add(node.objectID, .insert) }
    var links = LinkedProperties(save)
    for change in save.updated {
      var properties = links.remove(change.node.entity, change.node.reference) ?? PropertyIndexSet()
      for field in change.changedFields.elements {
        properties.insert(change.node.entity.storedFields[field].propertyIndex)
      }
      add(change.node.objectID, .update, properties)
    }
    for (key, properties) in links.sorted {
      if let node = state.tables[key.root]?[key.reference] { add(node.objectID, .update, properties) }
    }
    for lock in save.deleted {
      let id = lock.objectID
      let node = old.tables[id.entity.root.index]?[id.reference]
      add(id, .delete, nil, node.flatMap(Self.tombstone))
    }
    if changes.isEmpty { return }
    state.history.lastNumber += 1
    HistoryReceipt.current?.note(
      .init(transactionNumber: state.history.lastNumber, fingerprint: Data()), in: identifier)
    let origin = TransactionOrigin.current
    state.history.transactions.append(
      PersistentHistoryTransaction(
        transactionNumber: state.history.lastNumber, timestamp: Date(), storeIdentifier: identifier,
        author: origin?.author, contextName: origin?.contextName,
        processName: ProcessInfo.processInfo.processName, processIdentifier: getpid(),
        token: token(state.history.lastNumber), changes: changes))
    // So that memory does not grow for ever; a consumer that comes too late has its next request refused.
    if state.history.transactions.count > Self.mostTransactions {
      let going = state.history.transactions.prefix(Self.mostTransactions / 2)
      state.history.deletedNumber = going.last?.transactionNumber ?? state.history.deletedNumber
      state.history.transactions.removeFirst(going.count)
    }
  }

  private static let mostTransactions = 10_000

  private static func tombstone(_ node: IncrementalStoreNode) -> [String: AttributeValue]? {
    let preserved = node.entity.attributes.filter {
      $0.declaration.preservesValueInHistoryOnDeletion && $0.field >= 0
    }
    if preserved.isEmpty { return nil }
    return Dictionary(uniqueKeysWithValues: preserved.map { ($0.name, node.value(of: $0)) })
  }

  /// The place after the last save; nil while there is none.
  ///
  /// - Throws: `StoreError` where the store is closed.
  public var currentHistoryToken: PersistentHistoryToken? {
    get throws {
      try checkOpen()
      let last = state.withLock { $0.history.lastNumber }
      return last == 0 ? nil : token(last)
    }
  }

  /// Answers a request for history, or deletes a part of it.
  ///
  /// - Throws: `StoreError`: `historyTokenExpired`, `historyTokenForeign`, `notFound` for a consumer that
  ///   is not registered; `readOnly` for a deletion from a snapshot.
  public func execute(_ request: PersistentHistoryChangeRequest) throws -> PersistentHistoryResult {
    try request.isDeletion ? checkHistoryWritable() : checkOpen()
    var result = PersistentHistoryResult(request.resultType)
    let filter = try HistoryFilter(request, store: identifier, model)
    try state.withLock { state in
      if request.isDeletion { return try delete(request.bound, from: &state.history, &result) }
      let start = try number(request.bound, state.history)
      for transaction in state.history.transactions where transaction.transactionNumber > start {
        if result.count >= request.fetchLimit ?? .max { return }
        if case .date(let date) = request.bound, transaction.timestamp <= date { continue }
        guard filter.accepts(author: transaction.author) else { continue }
        var wanted = transaction
        wanted.changes = transaction.changes?.filter {
          filter.accepts($0.changedObjectID.entity) && filter.accepts($0.changedObjectID.reference)
        }
        if let found = try filter.accepted(wanted) { result.append(found) }
      }
    }
    return result
  }

  /// The number of the transaction that a bound names; 0 for the beginning.
  private func number(_ bound: PersistentHistoryChangeRequest.Bound, _ history: History) throws -> Int64 {
    switch bound {
    case .token(let token?):
      guard let position = token.position(in: identifier), position.transactionNumber <= history.lastNumber
      else { throw refusal(isExpired: false, history) }
      return try unexpired(position.transactionNumber, history)
    case .transaction(let number): return number
    case .consumer(let name):
      guard let consumer = history.consumers[name] else { throw StoreError.missingConsumer(name) }
      return try unexpired(consumer.transactionNumber, history)
    case .token(nil), .date, .transactions: return 0
    }
  }

  private func unexpired(_ number: Int64, _ history: History) throws -> Int64 {
    if number < history.deletedNumber { throw refusal(isExpired: true, history) }
    return number
  }

  private func refusal(isExpired: Bool, _ history: History) -> StoreError {
    .unfollowed(isExpired: isExpired, current: history.lastNumber == 0 ? nil : token(history.lastNumber))
  }

  private func delete(
    _ bound: PersistentHistoryChangeRequest.Bound, from history: inout History,
    _ result: inout PersistentHistoryResult
  ) throws {
    var end =
      switch bound {
      case .token(nil): history.lastNumber
      case .transaction(let number): max(number, 0) - 1
      case .date(let date): history.transactions.last { $0.timestamp < date }?.transactionNumber ?? 0
      case .transactions(let numbers): numbers.max() ?? 0
      default: try number(bound, history)
      }
    let slowest = history.consumers.values.filter(\.isWithinSpan).min {
      $0.transactionNumber < $1.transactionNumber
    }
    if let slowest, slowest.transactionNumber < min(end, history.lastNumber) {
      end = slowest.transactionNumber
      result.limitingConsumer = slowest
    }
    let count = history.transactions.count
    if case .transactions(let numbers) = bound {
      let going = Set(numbers.filter { $0 <= end })
      history.transactions.removeAll { going.contains($0.transactionNumber) }
    } else {
      history.transactions.removeAll { $0.transactionNumber <= end }
      history.deletedNumber = max(history.deletedNumber, min(end, history.lastNumber))
    }
    result.count = count - history.transactions.count
  }

  // MARK: Consumers

  /// Those who read the history, by name.
  ///
  /// - Throws: `StoreError` where the store is closed.
  public var historyConsumers: [PersistentHistoryConsumer] {
    get throws {
      try checkOpen()
      return state.withLock { $0.history.consumers.values.sorted { $0.name < $1.name } }
    }
  }

  /// Registers a consumer at the end of the history, or says that it is still there.
  ///
  /// - Throws: `StoreError`: `readOnly` for a snapshot.
  public func registerHistoryConsumer(_ name: String, span: TimeInterval) throws {
    try checkHistoryWritable()
    state.withLock { state in
      let number = state.history.consumers[name]?.transactionNumber ?? state.history.lastNumber
      state.history.consumers[name] = PersistentHistoryConsumer(
        name: name, transactionNumber: number, span: span, lastSeen: Date())
    }
  }

  /// Says that a consumer has read up to a token; where it was further, it stays.
  ///
  /// - Throws: `StoreError`: `notFound` where it is not registered; `historyTokenExpired`,
  ///   `historyTokenForeign`; `readOnly` for a snapshot.
  public func advanceHistoryConsumer(_ name: String, to token: PersistentHistoryToken) throws {
    try checkHistoryWritable()
    try state.withLock { state in
      guard let known = state.history.consumers[name] else { throw StoreError.missingConsumer(name) }
      let number = try number(.token(token), state.history)
      state.history.consumers[name] = PersistentHistoryConsumer(
        name: name, transactionNumber: max(known.transactionNumber, number), span: known.span,
        lastSeen: Date())
    }
  }

  /// Removes a consumer; false where there is none of the name.
  ///
  /// - Throws: `StoreError`: `readOnly` for a snapshot.
  public func removeHistoryConsumer(_ name: String) throws -> Bool {
    try checkHistoryWritable()
    return state.withLock { $0.history.consumers.removeValue(forKey: name) != nil }
  }

  private func checkHistoryWritable() throws {
    try checkOpen()
    if isReadOnly { throw StoreError(.readOnly, "the store is open for reading only") }
  }
}
