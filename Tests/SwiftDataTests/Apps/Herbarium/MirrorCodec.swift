// Models to records and back: a protocol with an associated type, and a codec for each class.

import Foundation
import SwiftData

enum MirrorValue: Codable, Equatable {
  case text(String)
  case number(Double)
  case list([String])
  case null

  init(from decoder: any Swift.Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else {
      self = .list(try container.decode([String].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .number(let number): try container.encode(number)
    case .list(let list): try container.encode(list)
    case .null: try container.encodeNil()
    }
  }
}

typealias MirrorPayload = [String: MirrorValue]

extension Dictionary where Key == String, Value == MirrorValue {
  func text(_ key: String) -> String? { if case .text(let text)? = self[key] { text } else { nil } }
  func number(_ key: String) -> Double? { if case .number(let number)? = self[key] { number } else { nil } }
  func list(_ key: String) -> [String]? { if case .list(let list)? = self[key] { list } else { nil } }
  func date(_ key: String) -> Date? { number(key).map(Date.init(timeIntervalSinceReferenceDate:)) }
  func uuid(_ key: String) -> UUID? { text(key).flatMap(UUID.init(uuidString:)) }

  mutating func set(_ key: String, _ value: String?) { self[key] = value.map(MirrorValue.text) ?? .null }
  mutating func set(_ key: String, _ value: Int) { self[key] = .number(Double(value)) }
  mutating func set(_ key: String, _ value: Date) {
    self[key] = .number(value.timeIntervalSinceReferenceDate)
  }
  mutating func set(_ key: String, _ value: UUID?) { set(key, value?.uuidString) }

  init?(data: Data?) {
    guard let data, let payload = try? JSONDecoder().decode(MirrorPayload.self, from: data) else {
      return nil
    }
    self = payload
  }

  var data: Data? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try? encoder.encode(self)
  }
}

extension PersistentIdentifier {
  /// Finds the row again from a column of text.
  var mirrorKey: String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(self)).flatMap { String(data: $0, encoding: .utf8) }
  }

  init?(mirrorKey: String?) {
    guard let data = mirrorKey?.data(using: .utf8),
      let id = try? JSONDecoder().decode(PersistentIdentifier.self, from: data)
    else { return nil }
    self = id
  }
}

// MARK: - Codecs

@MainActor
protocol MirrorCodec {
  associatedtype Model: MirroredModel
  static var kind: String { get }
  /// Fields that two devices add to.
  static var counters: Set<String> { get }
  static func includes(_ model: Model) -> Bool
  static func known(_ model: Model) -> MirrorPayload
  static func parent(of payload: MirrorPayload) -> String?
  /// By the number that all devices share.
  static func find(_ id: UUID, in context: ModelContext) -> Model?
  /// Nil where the parent is not here yet.
  static func make(_ payload: MirrorPayload, in context: ModelContext) -> Model?
  static func update(_ model: Model, from payload: MirrorPayload, in context: ModelContext)
  static func cascadeChildren(of model: Model) -> [any PersistentModel]
}

extension MirrorCodec {
  static var kind: String { String(describing: Model.self) }
  static var counters: Set<String> { [] }
  static func includes(_ model: Model) -> Bool { true }
  static func parent(of payload: MirrorPayload) -> String? { nil }
  static func cascadeChildren(of model: Model) -> [any PersistentModel] { [] }
}

enum DrawerCodec: MirrorCodec {
  typealias Model = Drawer

  static func known(_ drawer: Drawer) -> MirrorPayload {
    var payload = MirrorPayload()
    payload.set("title", drawer.title)
    payload.set("createdAt", drawer.createdAt)
    return payload
  }

  static func find(_ id: UUID, in context: ModelContext) -> Drawer? {
    var descriptor = FetchDescriptor<Drawer>(predicate: #Predicate { $0.id == id })
    descriptor.fetchLimit = 1
    return (try? context.fetch(descriptor))?.first
  }

  static func make(_ payload: MirrorPayload, in context: ModelContext) -> Drawer? {
    let drawer = Drawer(title: "")
    context.insert(drawer)
    return drawer
  }

  static func update(_ drawer: Drawer, from payload: MirrorPayload, in context: ModelContext) {
    if let title = payload.text("title") { drawer.title = title }
    if let createdAt = payload.date("createdAt") { drawer.createdAt = createdAt }
  }

  static func cascadeChildren(of drawer: Drawer) -> [any PersistentModel] {
    drawer.specimens + drawer.specimens.flatMap(SpecimenCodec.cascadeChildren(of:))
  }
}

enum SpecimenCodec: MirrorCodec {
  static var counters: Set<String> { ["sheets"] }
  /// Drafts stay on their device.
  static func includes(_ specimen: Specimen) -> Bool { !specimen.name.isEmpty }

  static func known(_ specimen: Specimen) -> MirrorPayload {
    var payload = MirrorPayload()
    payload.set("name", specimen.name)
    payload.set("sheets", specimen.sheets)
    payload.set("source", specimen.sourceRawValue)
    payload["tags"] = .list(specimen.tags)
    payload["marks"] = specimen.marksData == nil ? .null : .list(specimen.marks)
    payload.set("drawer", specimen.drawer?.id)
    return payload
  }

  static func parent(of payload: MirrorPayload) -> String? {
    payload.uuid("drawer").map { "Drawer:\($0)" }
  }

  static func find(_ id: UUID, in context: ModelContext) -> Specimen? {
    var descriptor = FetchDescriptor<Specimen>(predicate: #Predicate { $0.id == id })
    descriptor.fetchLimit = 1
    return (try? context.fetch(descriptor))?.first
  }

  static func make(_ payload: MirrorPayload, in context: ModelContext) -> Specimen? {
    if let drawerID = payload.uuid("drawer"), DrawerCodec.find(drawerID, in: context) == nil { return nil }
    let specimen = Specimen(name: payload.text("name") ?? "")
    context.insert(specimen)
    return specimen
  }

  static func update(_ specimen: Specimen, from payload: MirrorPayload, in context: ModelContext) {
    if let name = payload.text("name") { specimen.name = name }
    if let sheets = payload.number("sheets") { specimen.sheets = Int(sheets) }
    if let source = payload.text("source") { specimen.sourceRawValue = source }
    if let tags = payload.list("tags") { specimen.tags = tags }
    specimen.marks = payload.list("marks") ?? []
    specimen.drawer = payload.uuid("drawer").flatMap { DrawerCodec.find($0, in: context) }
  }

  static func cascadeChildren(of specimen: Specimen) -> [any PersistentModel] { specimen.notes ?? [] }
}

enum FieldNoteCodec: MirrorCodec {
  static func known(_ note: FieldNote) -> MirrorPayload {
    var payload = MirrorPayload()
    payload.set("text", note.text)
    payload.set("date", note.date)
    payload.set("specimen", note.specimen?.id)
    return payload
  }

  static func parent(of payload: MirrorPayload) -> String? {
    payload.uuid("specimen").map { "Specimen:\($0)" }
  }

  static func find(_ id: UUID, in context: ModelContext) -> FieldNote? {
    var descriptor = FetchDescriptor<FieldNote>(predicate: #Predicate { $0.id == id })
    descriptor.fetchLimit = 1
    return (try? context.fetch(descriptor))?.first
  }

  static func make(_ payload: MirrorPayload, in context: ModelContext) -> FieldNote? {
    guard let specimenID = payload.uuid("specimen"),
      let specimen = SpecimenCodec.find(specimenID, in: context)
    else { return nil }
    let note = FieldNote(text: "", date: .now, specimen: specimen)
    context.insert(note)
    return note
  }

  static func update(_ note: FieldNote, from payload: MirrorPayload, in context: ModelContext) {
    if let text = payload.text("text") { note.text = text }
    if let date = payload.date("date") { note.date = date }
  }
}
