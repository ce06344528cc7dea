// A device with its store, and a server in memory that has a copy of each record.

import Foundation
import SwiftData

@MainActor
final class MirrorServer {
  private(set) var records: [String: (payload: MirrorPayload, tag: Int)] = [:]
  private var changes: [(tag: Int, name: String)] = []
  private(set) var tag = 0

  func store(_ name: String, _ payload: MirrorPayload) -> Int {
    tag += 1
    records[name] = (payload, tag)
    changes.append((tag, name))
    return tag
  }

  func delete(_ name: String) {
    guard records.removeValue(forKey: name) != nil else { return }
    tag += 1
    changes.append((tag, name))
  }

  /// Newest first, so that children come before their parents.
  func changes(after tag: Int) -> (records: [MirrorIncoming], deleted: [String]) {
    let names = Set(changes.filter { $0.tag > tag }.map(\.name))
    let present = names.compactMap { name in
      records[name].map { MirrorIncoming(name: name, payload: $0.payload, tag: $0.tag) }
    }
    return (present.sorted { $0.tag > $1.tag }, names.filter { records[$0] == nil }.sorted())
  }
}

@MainActor
final class MirrorDevice {
  let context: ModelContext
  let tracker: MirrorTracker
  private let applier: MirrorApplier
  private var seen = 0

  init(_ container: ModelContainer) {
    context = container.mainContext
    tracker = MirrorTracker(context: context)
    applier = MirrorApplier(context: context)
  }

  /// Takes what changed elsewhere, a number of records at a time, then sends what changed here.
  @discardableResult
  func synchronize(with server: MirrorServer, batch: Int = .max) throws -> MirrorApplier.Outcome {
    try context.save()
    _ = try tracker.processHistory()
    let (records, deleted) = server.changes(after: seen)
    var outcome = MirrorApplier.Outcome()
    var rest = records[...]
    repeat {
      let part = try applier.apply(Array(rest.prefix(batch)), deleted: rest.count <= batch ? deleted : [])
      outcome.inserted += part.inserted
      outcome.updated += part.updated
      outcome.deleted += part.deleted
      outcome.waiting += part.waiting
      outcome.uploads += part.uploads
      rest = rest.dropFirst(batch)
    } while !rest.isEmpty
    seen = server.tag
    try send(to: server)
    return outcome
  }

  private func send(to server: MirrorServer) throws {
    try MirrorWriter.write(context) {
      let pending = FetchDescriptor<MirrorState>(
        predicate: #Predicate { $0.needsUpload || $0.pendingDelete }, sortBy: [SortDescriptor(\.updatedAt)])
      for state in try context.fetch(pending) {
        if state.pendingDelete {
          server.delete(state.recordName)
          context.delete(state)
        } else if let payload = MirrorPayload(data: state.payload) {
          state.tag = server.store(state.recordName, payload)
          state.base = state.payload
          state.needsUpload = false
        }
      }
    }
  }

  func names() throws -> [String] {
    try context.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  func specimen(_ name: String) throws -> Specimen? {
    try context.fetch(FetchDescriptor<Specimen>(predicate: #Predicate { $0.name == name })).first
  }
}
