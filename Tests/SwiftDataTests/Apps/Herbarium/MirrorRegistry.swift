// Codecs without their types, and the rows that say what the server has.

import Foundation
import SwiftData

/// A codec as the tracker and the applier see it.
@MainActor
protocol MirrorHandling {
  var kind: String { get }
  var entityName: String { get }
  var counters: Set<String> { get }
  func model(for id: PersistentIdentifier, in context: ModelContext) -> (any MirroredModel)?
  func find(_ id: UUID, in context: ModelContext) -> (any MirroredModel)?
  func includes(_ model: any PersistentModel) -> Bool
  func known(_ model: any PersistentModel) -> MirrorPayload?
  func parent(of payload: MirrorPayload) -> String?
  func insert(_ payload: MirrorPayload, id: UUID, in context: ModelContext) -> (any MirroredModel)?
  func update(_ model: any PersistentModel, from payload: MirrorPayload, in context: ModelContext)
  func cascadeChildren(of model: any PersistentModel) -> [any PersistentModel]
  func allModels(in context: ModelContext, offset: Int, limit: Int) -> [any MirroredModel]
}

struct MirrorHandler<Codec: MirrorCodec>: MirrorHandling {
  var kind: String { Codec.kind }
  var entityName: String { Schema.entityName(for: Codec.Model.self) }
  var counters: Set<String> { Codec.counters }

  func model(for id: PersistentIdentifier, in context: ModelContext) -> (any MirroredModel)? {
    var descriptor = FetchDescriptor<Codec.Model>(predicate: #Predicate { $0.persistentModelID == id })
    descriptor.fetchLimit = 1
    return (try? context.fetch(descriptor))?.first
  }

  func find(_ id: UUID, in context: ModelContext) -> (any MirroredModel)? { Codec.find(id, in: context) }

  func includes(_ model: any PersistentModel) -> Bool {
    (model as? Codec.Model).map { Codec.includes($0) } ?? false
  }

  func known(_ model: any PersistentModel) -> MirrorPayload? {
    (model as? Codec.Model).map { Codec.known($0) }
  }
  func parent(of payload: MirrorPayload) -> String? { Codec.parent(of: payload) }

  func insert(_ payload: MirrorPayload, id: UUID, in context: ModelContext) -> (any MirroredModel)? {
    guard let model = Codec.make(payload, in: context) else { return nil }
    model.id = id
    Codec.update(model, from: payload, in: context)
    return model
  }

  func update(_ model: any PersistentModel, from payload: MirrorPayload, in context: ModelContext) {
    if let model = model as? Codec.Model { Codec.update(model, from: payload, in: context) }
  }

  func cascadeChildren(of model: any PersistentModel) -> [any PersistentModel] {
    (model as? Codec.Model).map { Codec.cascadeChildren(of: $0) } ?? []
  }

  func allModels(in context: ModelContext, offset: Int, limit: Int) -> [any MirroredModel] {
    var descriptor = FetchDescriptor<Codec.Model>()
    descriptor.fetchOffset = offset
    descriptor.fetchLimit = limit
    return (try? context.fetch(descriptor)) ?? []
  }
}

/// Parents before their children.
@MainActor
enum MirrorRegistry {
  static let handlers: [any MirrorHandling] = [
    MirrorHandler<DrawerCodec>(), MirrorHandler<SpecimenCodec>(), MirrorHandler<FieldNoteCodec>(),
  ]
  static let byKind = Dictionary(uniqueKeysWithValues: handlers.map { ($0.kind, $0) })
  static let byEntity = Dictionary(uniqueKeysWithValues: handlers.map { ($0.entityName, $0) })
  static let order = Dictionary(uniqueKeysWithValues: handlers.enumerated().map { ($1.kind, $0) })
}

/// A record's name: the kind and the number.
struct MirrorName: Hashable, CustomStringConvertible {
  let kind: String
  let id: UUID

  init(_ model: any MirroredModel, kind: String) {
    self.kind = kind
    id = model.id
  }

  init?(_ description: String) {
    let parts = description.split(separator: ":")
    guard parts.count == 2, let id = UUID(uuidString: String(parts[1])) else { return nil }
    self.kind = String(parts[0])
    self.id = id
  }

  var description: String { "\(kind):\(id)" }
}

/// The author of what comes from the server, so that it is not sent back.
@MainActor
enum MirrorWriter {
  static let author = "mirror"

  static func write<T>(_ context: ModelContext, _ body: () throws -> T) throws -> T {
    try context.save()
    context.author = author
    defer { context.author = nil }
    let result = try body()
    try context.save()
    return result
  }
}

@MainActor
enum MirrorStates {
  static func mark(in context: ModelContext) -> MirrorMark {
    if let mark = try? context.fetch(FetchDescriptor<MirrorMark>()).first { return mark }
    let mark = MirrorMark()
    context.insert(mark)
    return mark
  }

  static func states(named names: [String], in context: ModelContext) -> [String: MirrorState] {
    guard !names.isEmpty else { return [:] }
    let descriptor = FetchDescriptor<MirrorState>(predicate: #Predicate { names.contains($0.recordName) })
    let rows = (try? context.fetch(descriptor)) ?? []
    return Dictionary(rows.map { ($0.recordName, $0) }, uniquingKeysWith: { first, _ in first })
  }

  static func state(localKey: String, in context: ModelContext) -> MirrorState? {
    var descriptor = FetchDescriptor<MirrorState>(predicate: #Predicate { $0.localKey == localKey })
    descriptor.fetchLimit = 1
    return (try? context.fetch(descriptor))?.first
  }

  static func all(in context: ModelContext) -> [MirrorState] {
    (try? context.fetch(FetchDescriptor<MirrorState>(sortBy: [SortDescriptor(\.recordName)]))) ?? []
  }

  static func model(for state: MirrorState, in context: ModelContext) -> (any MirroredModel)? {
    guard let id = PersistentIdentifier(mirrorKey: state.localKey),
      let handler = MirrorRegistry.byKind[state.kind]
    else { return nil }
    return handler.model(for: id, in: context)
  }
}
