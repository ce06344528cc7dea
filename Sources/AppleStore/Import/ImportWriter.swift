import CipherDatabase
import Foundation
import ObjectModel
import SQLCipherStore
import StoreContract

/// Writes the rows and links of a store of Core Data's into a new store.
final class ImportWriter {
  private let store: AppleStore
  private let filler: StoreFiller
  private let objects: AppleObjects
  private let report: (AppleStoreFault) -> Void
  private let progress: (StoreProgress) -> Void
  private let total: Int
  private var done = 0
  private(set) var summary = AppleStoreSummary()
  private static let mostBetweenReports = 1000

  init(
    _ store: AppleStore, _ filler: StoreFiller, fault: @escaping (AppleStoreFault) -> Void,
    progress: @escaping (StoreProgress) -> Void
  ) throws {
    self.store = store
    self.filler = filler
    objects = try AppleObjects(store.database, store.layout)
    report = fault
    self.progress = progress
    let tables = store.layout.rootTables.values + store.layout.links.values.map(\.table)
    total = try Set(tables).reduce(0) { try $0 + Self.count(store.database, $1) }
  }

  func write() throws {
    store.layoutFaults.forEach(fault)
    try filler.set(metadata: metadata)
    let completions = OneToOneCompletion()
    for root in store.layout.roots where store.layout.table(of: root) != nil {
      try checkRows(of: root)
      filler.reserve(store.layout.numbers[root.index].flatMap { store.layout.maxima[$0] } ?? 0, root)
      for entity in root.hierarchy where !entity.isAbstract { try writeRows(of: entity, completions) }
    }
    try filler.finishRows()
    for refusal in filler.refused {
      summary.objects[refusal.entity.name, default: 0] -= 1
      fault(
        AppleStoreFault(
          .notUnique, refusal.entity.name, refusal.reference, nil,
          "it breaks a uniqueness constraint; it is left out"))
    }
    for pair in completions.pairs {
      try filler.complete(pair.relationship, of: pair.key, to: pair.target)
    }
    try writeLinks()
    summary.droppedHistoryCount =
      store.layout.tables["ACHANGE"] == nil ? 0 : try Self.count(store.database, "ACHANGE")
    progress(StoreProgress(step: .importing, done: total, total: total))
  }

  /// The program's own entries, and what an export needs to say the same as the source.
  private var metadata: [String: String] {
    store.metadata.entries.merging([
      ExportMetadata.sourceKey: store.metadata.propertyList.base64EncodedString(),
      ExportMetadata.uuidKey: store.metadata.identifier,
      ExportMetadata.modelKey: ExportMetadata.mark(store.model),
      ExportMetadata.layoutKey: SourceLayout(store.layout).text,
    ]) { $1 }
  }

  private static func count(_ database: PlainDatabase, _ table: String) throws -> Int {
    let query = try database.query("SELECT count(*) FROM \(PlainDatabase.quoted(table))")
    return try query.step() ? Int(query.integer(0)) : 0
  }

  private func fault(_ fault: AppleStoreFault) {
    summary.faults[fault.kind, default: 0] += 1
    report(fault)
  }

  private func advance() throws {
    done += 1
    guard done % Self.mostBetweenReports == 0 else { return }
    if Task.isCancelled { throw StoreError.stopped }
    progress(StoreProgress(step: .importing, done: min(done, total), total: total))
  }

  // MARK: Rows

  /// Reports the rows of a table that no entity reads, and keys above the greatest.
  private func checkRows(of root: EntityDescription) throws {
    let layout = store.layout
    guard let table = layout.table(of: root).map(PlainDatabase.quoted) else { return }
    let known = root.hierarchy.filter { !$0.isAbstract }.compactMap { layout.numbers[$0.index] }
    let strange = try store.database.query(
      "SELECT Z_PK, Z_ENT FROM \(table) WHERE Z_ENT IS NULL OR Z_ENT NOT IN"
        + " (\(known.map(String.init).joined(separator: ", ")))")
    while try strange.step() {
      if let entity = layout.entities[strange.integer(1)], entity.root === root {
        fault(
          AppleStoreFault(
            .abstractEntity, entity.name, strange.integer(0), nil,
            "the row is of an abstract entity; it is left out"))
      } else {
        fault(
          AppleStoreFault(
            .unknownEntity, root.name, strange.integer(0), nil,
            "the row is of an entity that the model has not in this table; it is left out"))
      }
    }
    let greatest = try store.database.query("SELECT max(Z_PK) FROM \(table)")
    let maximum = layout.numbers[root.index].flatMap { layout.maxima[$0] } ?? 0
    if try greatest.step(), greatest.integer(0) > maximum {
      fault(
        AppleStoreFault(
          .keyAboveMaximum, root.name, greatest.integer(0), nil,
          "the store says that its greatest key is \(maximum)"))
    }
  }

  private func writeRows(of entity: EntityDescription, _ completions: OneToOneCompletion) throws {
    guard let reader = try AppleRowReader(entity, store, objects) else { return }
    let files = ExternalFiles(of: store.url)
    let toOnes = entity.storedFields.indices.filter {
      if case .toOne = entity.storedFields[$0] { true } else { false }
    }
    while try reader.next() {
      let key = reader.key
      guard key > 0 else {
        fault(AppleStoreFault(.value, entity.name, key, nil, "the row's key is not above 0; it is left out"))
        continue
      }
      try filler.insert(entity, reference: key, version: reader.version) { builder in
        try reader.read(into: builder, files: files, completing: completions, report: fault)
        summary.linkCount += toOnes.count { !builder.isNull($0) }
      }
      summary.objects[entity.name, default: 0] += 1
      try advance()
    }
  }

  // MARK: Links

  private func writeLinks() throws {
    for entity in store.model.entities {
      for relationship in entity.relationships
      where relationship.entity === entity && relationship.hasJoinTable
        && relationship.joinTableOwner === relationship
      {
        let inverse = relationship.inverse.flatMap { $0 === relationship || !$0.isOrdered ? nil : $0 }
        if relationship.isOrdered || inverse == nil {
          try writeLinks(of: relationship, isPlacing: false)
          if let inverse, inverse.isToMany { try writeLinks(of: inverse, isPlacing: true) }
        } else if let inverse {
          try writeLinks(of: inverse, isPlacing: false)
        }
      }
    }
  }

  /// Adds the links of a relationship, or gives those that are there their places in its order.
  private func writeLinks(of relationship: RelationshipDescription, isPlacing: Bool) throws {
    guard let links = store.layout.links(of: relationship) else { return }
    let reader = try AppleLinkReader(relationship, links, store, objects) { [self] in
      if !isPlacing { fault($0) }
    }
    try reader.each { source, destination, position in
      if filler.isRefused(source, relationship.entity)
        || filler.isRefused(destination, relationship.destination)
      {
        return
      }
      if isPlacing {
        try filler.place(relationship, source, destination, position: position)
      } else {
        try filler.link(relationship, source, destination, position: position)
        // The column of a to-one inverse was counted with its row.
        if relationship.inverse?.isToMany ?? true { summary.linkCount += 1 }
      }
      try advance()
    }
    if !isPlacing { try reader.checkRepetitions() }
  }
}
