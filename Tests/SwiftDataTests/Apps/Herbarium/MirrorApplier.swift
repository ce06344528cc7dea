// What other devices changed: copies from the server are merged field by field, and wait for their parents.

import Foundation
import SwiftData

struct MirrorIncoming: Sendable {
  let name: String
  let payload: MirrorPayload
  let tag: Int
}

@MainActor
final class MirrorApplier {
  struct Outcome: Equatable {
    var inserted = 0
    var updated = 0
    var deleted = 0
    var waiting = 0
    var uploads: [String] = []
  }

  private let context: ModelContext
  private var outcome = Outcome()
  private var needsKey: [(MirrorState, any MirroredModel)] = []
  private var reshuffled: [Drawer] = []

  init(context: ModelContext) { self.context = context }

  func apply(_ incoming: [MirrorIncoming], deleted: [String]) throws -> Outcome {
    outcome = Outcome()
    needsKey = []
    reshuffled = []
    return try MirrorWriter.write(context) {
      var states = MirrorStates.states(named: incoming.map(\.name) + deleted, in: context)
      let ordered = incoming.sorted { order($0.name) < order($1.name) }
      for record in ordered {
        let state =
          states[record.name]
          ?? {
            let state = MirrorState(recordName: record.name, kind: kind(record.name))
            context.insert(state)
            states[record.name] = state
            return state
          }()
        // A deletion that was not sent yet wins.
        if state.pendingDelete || state.tag == record.tag && state.waitingPayload == nil { continue }
        take(record, state)
      }
      for name in deleted {
        if let state = states[name] { remove(state) }
      }
      releaseWaiting()
      for drawer in reshuffled where drawer.pausedAt != nil && !drawer.isDeleted { drawer.pausedAt = nil }
      // Identifiers are permanent after a save only.
      if !needsKey.isEmpty {
        try context.save()
        for (state, model) in needsKey { state.localKey = model.persistentModelID.mirrorKey }
      }
      return outcome
    }
  }

  private func take(_ record: MirrorIncoming, _ state: MirrorState) {
    guard let name = MirrorName(record.name), let handler = MirrorRegistry.byKind[name.kind] else {
      return wait(state, record, "kind")
    }
    let model = MirrorStates.model(for: state, in: context) ?? handler.find(name.id, in: context)
    let known = model.flatMap(handler.known)
    let merged = Self.merge(
      base: MirrorPayload(data: state.base), local: known, remote: record.payload,
      counters: handler.counters)
    if let model {
      if state.localKey == nil { needsKey.append((state, model)) }
      if merged != known {
        handler.update(model, from: merged, in: context)
        outcome.updated += 1
      }
    } else if let created = handler.insert(merged, id: name.id, in: context) {
      needsKey.append((state, created))
      outcome.inserted += 1
      if let drawer = (created as? Specimen)?.drawer { reshuffled.append(drawer) }
    } else {
      return wait(state, record, "parent:" + (handler.parent(of: merged) ?? "?"))
    }
    state.base = record.payload.data
    state.payload = merged.data
    state.tag = record.tag
    (state.waitingPayload, state.waitingReason) = (nil, nil)
    state.needsUpload = merged != record.payload
    if state.needsUpload { outcome.uploads.append(record.name) }
  }

  private func wait(_ state: MirrorState, _ record: MirrorIncoming, _ reason: String) {
    state.waitingPayload = record.payload.data
    state.waitingReason = reason
    state.tag = record.tag
    outcome.waiting += 1
  }

  private func remove(_ state: MirrorState) {
    if state.needsUpload {
      // What was changed here meanwhile makes the record again.
      (state.base, state.tag) = (nil, nil)
      outcome.uploads.append(state.recordName)
      return
    }
    if let model = MirrorStates.model(for: state, in: context),
      let handler = MirrorRegistry.byKind[state.kind]
    {
      for child in handler.cascadeChildren(of: model) {
        guard let key = child.persistentModelID.mirrorKey else { continue }
        if let state = MirrorStates.state(localKey: key, in: context) { context.delete(state) }
      }
      if let drawer = (model as? Specimen)?.drawer { reshuffled.append(drawer) }
      context.delete(model)
      outcome.deleted += 1
    }
    context.delete(state)
  }

  private func releaseWaiting() {
    let descriptor = FetchDescriptor<MirrorState>(predicate: #Predicate { $0.waitingReason != nil })
    guard let waiting = try? context.fetch(descriptor), !waiting.isEmpty else { return }
    let parentsFirst = waiting.sorted { order($0.recordName) < order($1.recordName) }
    for state in parentsFirst where state.waitingReason?.hasPrefix("parent:") == true {
      guard let payload = MirrorPayload(data: state.waitingPayload),
        let name = MirrorName(state.recordName), let handler = MirrorRegistry.byKind[name.kind],
        let created = handler.insert(payload, id: name.id, in: context)
      else { continue }
      (state.base, state.payload) = (state.waitingPayload, state.waitingPayload)
      (state.waitingPayload, state.waitingReason) = (nil, nil)
      needsKey.append((state, created))
      outcome.inserted += 1
    }
  }

  /// The server's fields, but for those that only this device changed; counters are added up.
  static func merge(
    base: MirrorPayload?, local: MirrorPayload?, remote: MirrorPayload, counters: Set<String>
  ) -> MirrorPayload {
    guard let local else { return remote }
    return remote.merging(local) { theirs, _ in theirs }.reduce(into: MirrorPayload()) { merged, field in
      let (key, theirs) = field
      let (mine, old) = (local[key] ?? .null, base?[key])
      if counters.contains(key), case .number(let mine) = mine, case .number(let theirs) = theirs {
        let start = base?.number(key) ?? 0
        merged[key] = .number(start + (mine - start) + (theirs - start))
      } else {
        merged[key] = old != nil && mine != old && theirs == old ? mine : theirs
      }
    }
  }

  private func kind(_ name: String) -> String { String(name.prefix { $0 != ":" }) }
  private func order(_ name: String) -> Int { MirrorRegistry.order[kind(name)] ?? .max }
}
