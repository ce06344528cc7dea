// Stands for: an app on several devices that copies its models to a server record by record. What changed is
// read from the history, by pages and from a token in the store itself; models go through codecs with an
// associated type and an erased form; rows are known to the server by names, and to the app by identifiers as
// JSON; copies that come before their parents wait. An actor walks through everything by identifiers, in
// batches, for files and repairs; an older store is migrated in two phases through a file beside it.

import Foundation
import SwiftData

typealias Drawer = HerbariumSchemaV2.Drawer
typealias Specimen = HerbariumSchemaV2.Specimen
typealias FieldNote = HerbariumSchemaV2.FieldNote
typealias MirrorState = HerbariumSchemaV2.MirrorState
typealias MirrorMark = HerbariumSchemaV2.MirrorMark

enum SpecimenSource: String, Codable, CaseIterable {
  case field, exchange, gift
}

enum HerbariumSchemaV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Drawer.self, Specimen.self] }

  @Model
  final class Drawer {
    @Attribute(.unique) var id: UUID
    var title: String
    @Relationship(deleteRule: .cascade, inverse: \Specimen.drawer) var specimens: [Specimen] = []

    init(title: String) {
      id = UUID()
      self.title = title
    }
  }

  @Model
  final class Specimen {
    @Attribute(.unique) var id: UUID
    var name: String
    var source: SpecimenSource
    var drawer: Drawer?

    init(name: String, source: SpecimenSource, drawer: Drawer? = nil) {
      id = UUID()
      self.name = name
      self.source = source
      self.drawer = drawer
    }
  }
}

enum HerbariumSchemaV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] {
    [Drawer.self, Specimen.self, FieldNote.self, MirrorState.self, MirrorMark.self]
  }
}

/// Models that every device calls by the same number.
protocol MirroredModel: PersistentModel {
  var id: UUID { get set }
}

extension HerbariumSchemaV2 {
  @Model
  final class Drawer: MirroredModel {
    @Attribute(.unique) var id: UUID
    var title: String
    var createdAt: Date = Date.distantPast
    /// Where somebody stopped to look through it; no longer valid once its specimens change.
    var pausedAt: Date?
    @Relationship(deleteRule: .cascade, inverse: \Specimen.drawer) var specimens: [Specimen] = []

    init(title: String) {
      id = UUID()
      self.title = title
    }
  }

  @Model
  final class Specimen: MirroredModel {
    #Index<Specimen>([\.name], [\.collectedAt])
    @Attribute(.unique) var id: UUID
    var name: String
    var sheets: Int = 1
    var sourceRawValue: String = SpecimenSource.field.rawValue
    var collectedAt: Date = Date.distantPast
    var tags: [String] = []
    var marksData: Data?
    var drawer: Drawer?
    @Relationship(deleteRule: .cascade, inverse: \FieldNote.specimen) var notes: [FieldNote]? = []
    @Transient private var marksCache: (data: Data, marks: [String])?

    init(name: String, drawer: Drawer? = nil) {
      id = UUID()
      self.name = name
      self.drawer = drawer
    }

    var source: SpecimenSource {
      get { SpecimenSource(rawValue: sourceRawValue) ?? .field }
      set { sourceRawValue = newValue.rawValue }
    }

    /// Decoded once for each value of the data.
    var marks: [String] {
      get {
        guard let marksData else { return [] }
        if let marksCache, marksCache.data == marksData { return marksCache.marks }
        let marks = (try? JSONDecoder().decode([String].self, from: marksData)) ?? []
        marksCache = (marksData, marks)
        return marks
      }
      set { marksData = newValue.isEmpty ? nil : try? JSONEncoder().encode(newValue) }
    }
  }

  @Model
  final class FieldNote: MirroredModel {
    @Attribute(.unique) var id: UUID
    var text: String
    var date: Date
    var specimen: Specimen?

    init(text: String, date: Date, specimen: Specimen?) {
      id = UUID()
      self.text = text
      self.date = date
      self.specimen = specimen
    }
  }

  /// What this device knows of a record on the server.
  @Model
  final class MirrorState {
    @Attribute(.unique) var recordName: String
    var kind: String
    var localKey: String?
    var payload: Data?
    var base: Data?
    var tag: Int?
    var needsUpload = false
    var pendingDelete = false
    var waitingPayload: Data?
    var waitingReason: String?
    var updatedAt = Date.now

    init(recordName: String, kind: String) {
      self.recordName = recordName
      self.kind = kind
    }
  }

  /// The one row with the place in the history.
  @Model
  final class MirrorMark {
    var historyToken: Data?
    var initialScanDone = false
    init() {}
  }
}

// MARK: - From version 1

enum HerbariumMigrationPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [HerbariumSchemaV1.self, HerbariumSchemaV2.self] }
  static var stages: [MigrationStage] { [sourcesAsText] }
  static let pageSize = 20

  /// Neither context sees both columns, so that the values travel beside the store.
  static let sourcesAsText = MigrationStage.custom(
    fromVersion: HerbariumSchemaV1.self, toVersion: HerbariumSchemaV2.self,
    willMigrate: { context in
      var sources: [UUID: String] = [:]
      try forEachPage(of: HerbariumSchemaV1.Specimen.self, in: context) { page in
        for specimen in page { sources[specimen.id] = specimen.source.rawValue }
      }
      try SourceStash.shared.store(sources)
    },
    didMigrate: { context in try apply(to: context) })

  /// Each page is saved before the next one is read.
  @discardableResult
  static func apply(to context: ModelContext, stash: SourceStash = .shared) throws -> Int {
    let sources = try stash.load()
    var pages = 0
    try forEachPage(of: HerbariumSchemaV2.Specimen.self, in: context) { page in
      for specimen in page {
        guard let source = sources[specimen.id], specimen.sourceRawValue != source else { continue }
        specimen.sourceRawValue = source
      }
      try context.save()
      pages += 1
    }
    stash.clear()
    return pages
  }

  enum Failure: Error, Equatable { case incompletePage(asked: Int, found: Int) }

  static func forEachPage<Model: PersistentModel>(
    of model: Model.Type, in context: ModelContext, body: ([Model]) throws -> Void
  ) throws {
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Model>())
    var start = identifiers.startIndex
    while start < identifiers.endIndex {
      let end =
        identifiers.index(start, offsetBy: pageSize, limitedBy: identifiers.endIndex) ?? identifiers.endIndex
      let page = identifiers[start..<end].compactMap { context.model(for: $0) as? Model }
      guard page.count == end - start else {
        throw Failure.incompletePage(asked: end - start, found: page.count)
      }
      try body(page)
      start = end
    }
  }
}

/// Values between the phases of a migration; on disk, so that an interrupted one is finished later.
final class SourceStash: @unchecked Sendable {
  nonisolated(unsafe) static var shared = SourceStash(
    file: FileManager.default.temporaryDirectory.appendingPathComponent("herbarium-sources.json"))
  private let lock = NSLock()
  private let file: URL

  init(file: URL) { self.file = file }

  func store(_ sources: [UUID: String]) throws {
    lock.lock()
    defer { lock.unlock() }
    let texts = sources.reduce(into: [String: String]()) { $0[$1.key.uuidString] = $1.value }
    try JSONEncoder().encode(texts).write(to: file, options: .atomic)
  }

  func load() throws -> [UUID: String] {
    lock.lock()
    defer { lock.unlock() }
    guard FileManager.default.fileExists(atPath: file.path) else { return [:] }
    let texts = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
    return texts.reduce(into: [:]) { result, entry in
      if let id = UUID(uuidString: entry.key) { result[id] = entry.value }
    }
  }

  func clear() { try? FileManager.default.removeItem(at: file) }
}
