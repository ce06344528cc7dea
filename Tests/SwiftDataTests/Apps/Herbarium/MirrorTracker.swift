// What this device changed: the history since a token, or a comparison of everything.

import Foundation
import SwiftData

@MainActor
final class MirrorTracker {
  struct Outcome: Equatable {
    var saves: [String] = []
    var deletes: [String] = []
  }

  private let context: ModelContext
  private(set) var scans = 0
  static let pageSize = 3

  init(context: ModelContext) { self.context = context }

  func processHistory() throws -> Outcome {
    let mark = MirrorStates.mark(in: context)
    guard mark.initialScanDone else { return try reconcileAll() }
    var changed: [PersistentIdentifier] = []
    var changedSet = Set<PersistentIdentifier>()
    var deleted = Set<PersistentIdentifier>()
    let lastToken: DefaultHistoryToken?
    do {
      lastToken = try readHistory(after: decode(mark.historyToken)) { change in
        let id = change.changedPersistentIdentifier
        guard MirrorRegistry.byEntity[id.entityName] != nil else { return }
        if case .delete = change {
          deleted.insert(id)
        } else if changedSet.insert(id).inserted {
          changed.append(id)
        }
      }
    } catch let error as SwiftDataError where error == .historyTokenExpired {
      return try reconcileAll()
    }
    return try MirrorWriter.write(context) {
      var outcome = Outcome()
      for id in changed where !deleted.contains(id) {
        guard let handler = MirrorRegistry.byEntity[id.entityName],
          let model = handler.model(for: id, in: context)
        else { continue }
        if let name = noteLocal(model, handler, existing: nil) { outcome.saves.append(name) }
      }
      for id in deleted {
        guard let key = id.mirrorKey, let state = MirrorStates.state(localKey: key, in: context) else {
          continue
        }
        if markDeleted(state) { outcome.deletes.append(state.recordName) }
      }
      if let lastToken { mark.historyToken = encode(lastToken) }
      return outcome
    }
  }

  /// Pages of transactions that the user made.
  private func readHistory(
    after first: DefaultHistoryToken?, _ body: (HistoryChange) -> Void
  ) throws -> DefaultHistoryToken? {
    var token = first
    while true {
      let page = try transactions(after: token)
      for transaction in page {
        token = transaction.token
        guard transaction.author == nil else { continue }
        transaction.changes.forEach(body)
      }
      if page.count < Self.pageSize { return token }
    }
  }

  /// Compares every row with what is known of it: at first, and when a token expired.
  func reconcileAll() throws -> Outcome {
    scans += 1
    let mark = MirrorStates.mark(in: context)
    // Changes that are made during the scan come after this token.
    let latest = try latestToken()
    return try MirrorWriter.write(context) {
      var outcome = Outcome()
      var byKey: [String: MirrorState] = [:]
      var byName: [String: MirrorState] = [:]
      for state in MirrorStates.all(in: context) {
        if let key = state.localKey { byKey[key] = state }
        byName[state.recordName] = state
      }
      var seen = Set<String>()
      for handler in MirrorRegistry.handlers {
        var offset = 0
        while true {
          let models = handler.allModels(in: context, offset: offset, limit: Self.pageSize)
          for model in models where handler.includes(model) {
            guard let key = model.persistentModelID.mirrorKey else { continue }
            seen.insert(key)
            let state = byKey[key] ?? byName[MirrorName(model, kind: handler.kind).description]
            if let name = noteLocal(model, handler, existing: state) { outcome.saves.append(name) }
          }
          try context.save()
          if models.count < Self.pageSize { break }
          offset += Self.pageSize
        }
      }
      for (key, state) in byKey where !seen.contains(key) && state.waitingPayload == nil {
        if MirrorStates.model(for: state, in: context) == nil, markDeleted(state) {
          outcome.deletes.append(state.recordName)
        }
      }
      mark.initialScanDone = true
      if let latest { mark.historyToken = encode(latest) }
      return outcome
    }
  }

  /// The record's name where it has to be sent.
  @discardableResult
  private func noteLocal(
    _ model: any MirroredModel, _ handler: any MirrorHandling, existing: MirrorState?
  ) -> String? {
    guard handler.includes(model), let known = handler.known(model),
      let key = model.persistentModelID.mirrorKey
    else { return nil }
    let name = MirrorName(model, kind: handler.kind).description
    let state =
      existing ?? MirrorStates.state(localKey: key, in: context)
      ?? MirrorStates.states(named: [name], in: context)[name]
      ?? {
        let state = MirrorState(recordName: name, kind: handler.kind)
        context.insert(state)
        return state
      }()
    state.localKey = key
    state.payload = known.data
    state.needsUpload = MirrorPayload(data: state.base) != known
    state.pendingDelete = false
    state.updatedAt = .now
    return state.needsUpload ? name : nil
  }

  /// Whether the server has to be told.
  private func markDeleted(_ state: MirrorState) -> Bool {
    if state.tag == nil && !state.needsUpload {
      context.delete(state)
      return false
    }
    state.pendingDelete = true
    state.needsUpload = false
    return true
  }

  // MARK: History

  private func transactions(after token: DefaultHistoryToken?) throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: token.map { token in #Predicate<DefaultHistoryTransaction> { $0.token > token } },
      sortBy: [SortDescriptor(\.transactionIdentifier)])
    descriptor.fetchLimit = UInt64(Self.pageSize)
    return try context.fetchHistory(descriptor)
  }

  private func latestToken() throws -> DefaultHistoryToken? {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    descriptor.fetchLimit = 1
    return try context.fetchHistory(descriptor).first?.token
  }

  func trimProcessedHistory() throws {
    guard let token = decode(MirrorStates.mark(in: context).historyToken) else { return }
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token }))
  }

  private func decode(_ data: Data?) -> DefaultHistoryToken? {
    data.flatMap { try? JSONDecoder().decode(DefaultHistoryToken.self, from: $0) }
  }

  private func encode(_ token: DefaultHistoryToken) -> Data? { try? JSONEncoder().encode(token) }
}
