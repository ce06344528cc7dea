import AppleModel
import CipherDatabase
import Foundation
import KeyedArchive
import ObjectModel
import SQLCipherStore
import StoreContract

/// Writes the rows and links of a store into tables as Core Data makes them.
final class ExportWriter {
  private let reader: StoreReader
  private let database: PlainDatabaseWriter
  private let tables: ExportTables
  private let layout: AppleLayout
  private let progress: (StoreProgress) -> Void
  private var summary = AppleStoreExport.Summary()
  private var last: [Int: Int64] = [:]
  private var total = 0
  private static let mostBetweenReports = 1000
  /// Core Data leaves room before, between and after the objects of an order.
  private static let firstPlace: Int64 = 2048
  private static let placeStep: Int64 = 1024

  init(_ reader: StoreReader, _ path: String, progress: @escaping (StoreProgress) -> Void) throws {
    self.reader = reader
    self.progress = progress
    let tables = ExportTables(reader.model, as: ExportMetadata(reader).layout)
    self.tables = tables
    if Set(tables.tables.map(\.name)).count < tables.tables.count {
      throw AppleStoreError(
        .unsupportedModel, "Core Data would give one table to entities whose names differ in case; rename one"
      )
    }
    let numbers = Dictionary(
      uniqueKeysWithValues: tables.entities.map { ($0.name, Int64(tables.number($0))) })
    layout = AppleLayout(reader.model, tables.columns, numbers: numbers)
    do throws(CipherError) {
      database = try PlainDatabaseWriter(path: path)
    } catch {
      throw StoreError(
        error.code == .alreadyExists ? .fileExists : error.code == .diskFull ? .diskFull : .notWritable,
        "\(path) cannot be made: \(error.message)", cause: error)
    }
  }

  func write() throws -> AppleStoreExport.Summary {
    let metadata = ExportMetadata(reader)
    let model = try AppleModelWriter(reader.model)
    summary.notes = model.notes.map(\.description) + layout.faults.map(\.description)
    summary.hasVersionHashes = metadata.hasVersionHashes
    total = try tables.entities.filter { $0.superentity == nil }.reduce(0) { try $0 + reader.count($1) }
    try database.execute("PRAGMA auto_vacuum = 2; PRAGMA journal_mode = OFF; BEGIN")
    for statement in tables.creation { try database.execute(statement) }
    for entity in tables.entities where !entity.isAbstract { try writeRows(of: entity) }
    let relationships = tables.entities.flatMap { entity in
      entity.relationships.filter { $0.entity === entity && $0.hasJoinTable }
    }
    // The side that owns a join table makes its rows, which the other then places.
    for isOwner in [true, false] {
      for relationship in relationships where (relationship === relationship.joinTableOwner) == isOwner {
        try writeLinks(of: relationship)
      }
    }
    try writeNumbers()
    try metadata.write(to: database, model)
    for statement in tables.indexes { try makeIndex(statement) }
    try database.execute("COMMIT")
    if Task.isCancelled { throw StoreError.stopped }
    try database.finish()
    progress(StoreProgress(step: .exporting, done: total, total: total))
    return summary
  }

  private func makeIndex(_ statement: String) throws {
    do {
      try database.execute(statement)
    } catch  where error.code == .constraint {
      summary.notes.append("a uniqueness constraint does not hold for all rows of its table; it has no index")
    }
  }

  private func writeNumbers() throws {
    for entity in tables.entities {
      let greatest =
        entity.superentity == nil ? max(try reader.lastReference(entity), last[entity.index] ?? 0) : 0
      try database.run("INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)") { parameters in
        parameters.bind(1, Int64(tables.number(entity)))
        parameters.bind(2, entity.name)
        parameters.bind(3, Int64(entity.superentity.map(tables.number) ?? 0))
        parameters.bind(4, greatest)
      }
    }
  }

  // MARK: Rows

  private func writeRows(of entity: EntityDescription) throws {
    guard let table = layout.table(of: entity) else { return }
    let row = ExportRow(entity, layout) { [reader] in try reader.entity(of: $0, in: $1) }
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + row.columns
    let statement =
      "INSERT INTO \(q(table)) (\(names.map(q).joined(separator: ", ")))"
      + " VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
    try reader.eachRow(of: entity) { source in
      try database.run(statement) { parameters in
        parameters.bind(1, source.reference)
        parameters.bind(2, Int64(tables.number(entity)))
        parameters.bind(3, source.version)
        try row.bind(source, parameters, summary: &summary)
      }
      last[entity.root.index] = max(last[entity.root.index] ?? 0, source.reference)
      summary.objectCount += 1
      if summary.objectCount % Self.mostBetweenReports == 0 {
        if Task.isCancelled { throw StoreError.stopped }
        progress(StoreProgress(step: .exporting, done: summary.objectCount, total: total))
      }
    }
  }

  // MARK: Links

  private func writeLinks(of relationship: RelationshipDescription) throws {
    guard relationship.isToMany, let links = layout.links(of: relationship) else { return }
    if let inverse = relationship.inverse, inverse.isToMany {
      try writeJoinTable(of: relationship, inverse, links)
    } else if relationship.inverse == nil {
      try writeHiddenColumn(of: relationship, links)
    } else if let order = links.order {
      let statement =
        "UPDATE \(q(links.table)) SET \(q(order)) = ? WHERE Z_PK = ? AND \(q(links.owner)) = ?"
      try reader.eachLink(of: relationship) { source, destination, place in
        if Task.isCancelled { throw StoreError.stopped }
        try database.run(statement) { parameters in
          parameters.bind(1, Self.place(place))
          parameters.bind(2, destination)
          parameters.bind(3, source)
        }
      }
    }
  }

  /// Rows of the table come with the side that owns the join table; the other side only places them.
  private func writeJoinTable(
    of relationship: RelationshipDescription, _ inverse: RelationshipDescription, _ links: AppleLinks
  ) throws {
    let isOwner = relationship === relationship.joinTableOwner
    if !isOwner, links.order == nil || !relationship.isOrdered { return }
    let (owner, destination) = (q(links.owner), q(links.destination))
    let order = relationship.isOrdered ? links.order.map(q) : nil
    let columns = [owner, destination, order].compactMap { $0 }.joined(separator: ", ")
    let statement =
      isOwner
      ? "INSERT INTO \(q(links.table)) (\(columns))"
        + " VALUES (?, ?\(order == nil ? "" : ", ?"))"
      : "UPDATE \(q(links.table)) SET \(order ?? owner) = ?3 WHERE \(owner) = ?1 AND \(destination) = ?2"
    try reader.eachLink(of: relationship) { source, target, place in
      if Task.isCancelled { throw StoreError.stopped }
      try database.run(statement) { parameters in
        parameters.bind(1, source)
        parameters.bind(2, target)
        if order != nil { parameters.bind(3, Self.place(place)) }
      }
      if isOwner { summary.linkCount += 1 }
    }
  }

  /// A to-many without an inverse is a column of the destination, which so has one owner.
  private func writeHiddenColumn(of relationship: RelationshipDescription, _ links: AppleLinks) throws {
    let beside = layout.entityColumn(of: links.owner, links.table)
    let settings = [links.owner, beside, relationship.isOrdered ? links.order : nil].compactMap { $0 }
    let statement =
      "UPDATE \(q(links.table)) SET \(settings.map { q($0) + " = ?" }.joined(separator: ", "))"
      + " WHERE Z_PK = ? AND \(q(links.owner)) IS NULL"
    var lost = 0
    try reader.eachLink(of: relationship) { source, destination, place in
      if Task.isCancelled { throw StoreError.stopped }
      try database.run(statement) { parameters in
        parameters.bind(1, source)
        var next: Int32 = 2
        if beside != nil, let entity = try reader.entity(of: source, in: relationship.entity.root) {
          parameters.bind(next, Int64(tables.number(entity)))
          next += 1
        }
        if relationship.isOrdered, links.order != nil {
          parameters.bind(next, Self.place(place))
          next += 1
        }
        parameters.bind(next, destination)
      }
      if database.changes > 0 { summary.linkCount += 1 } else { lost += 1 }
    }
    if lost > 0 {
      summary.notes.append(
        "\(relationship.entity.name).\(relationship.name): \(lost) links are left out, since Core Data"
          + " gives an object one owner where the relationship has no inverse")
    }
  }

  private func q(_ name: String) -> String { PlainDatabase.quoted(name) }
  private static func place(_ position: Int64) -> Int64 { firstPlace + placeStep * position }
}
