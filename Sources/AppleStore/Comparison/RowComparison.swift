import CipherDatabase
import ObjectModel
import SQLCipherStore
import StoreContract

/// Compares the rows of two stores, entity by entity, in the order of their keys.
struct RowComparison {
  private let store: AppleStore
  private let reader: StoreReader
  private let files: ExternalFiles
  private let progress: (StoreProgress) -> Void
  private var total = 0
  private(set) var result = AppleStoreComparison()
  private static let mostBetweenReports = 1000

  init(_ store: AppleStore, _ reader: StoreReader, progress: @escaping (StoreProgress) -> Void) {
    self.store = store
    self.reader = reader
    self.progress = progress
    files = ExternalFiles(of: store.url)
  }

  mutating func run() throws {
    for root in reader.model.entities where root.superentity == nil { total += try reader.count(root) }
    for entity in store.model.entities where !entity.isAbstract {
      guard let own = reader.model.entity(named: entity.name) else { continue }
      try compare(entity, own)
    }
    progress(StoreProgress(step: .comparing, done: total, total: total))
  }

  /// Walks over both in the order of keys.
  private mutating func compare(_ entity: EntityDescription, _ own: EntityDescription) throws {
    guard let source = try SourceRows(entity, store) else { return }
    var isThere = try source.rows.step()
    try reader.eachRow(of: own) { row in
      while isThere, source.key < row.reference {
        result.add(entity.name, source.key, nil, "the object is missing")
        isThere = try source.rows.step()
      }
      if isThere, source.key == row.reference {
        try compare(source, row, entity, own)
        isThere = try source.rows.step()
      } else {
        result.add(entity.name, row.reference, nil, "the source has no such object")
      }
      result.objectCount += 1
      if result.objectCount % Self.mostBetweenReports == 0 {
        if Task.isCancelled { throw StoreError.stopped }
        progress(StoreProgress(step: .comparing, done: result.objectCount, total: total))
      }
    }
    while isThere {
      result.add(entity.name, source.key, nil, "the object is missing")
      isThere = try source.rows.step()
    }
  }

  private mutating func compare(
    _ source: SourceRows, _ row: StoreRow, _ entity: EntityDescription, _ own: EntityDescription
  ) throws {
    if max(source.version, 1) != row.version {
      result.add(entity.name, source.key, nil, "the number of its saves is another")
    }
    for (field, stored) in own.storedFields.enumerated() {
      switch stored {
      case .attribute(let attribute):
        guard let wanted = entity.attribute(named: attribute.name) else { continue }
        let column = store.layout.column(of: wanted)
        let expected = ComparedValue(source.rows, source.places, wanted, column, files)
        let found = ComparedValue(row, field, attribute)
        result.valueCount += 1
        result.byteCount += found.byteCount
        if expected == found { continue }
        result.add(
          entity.name, source.key, attribute.name,
          attribute.derivation == nil
            ? "the value is another" : "the source's derived value is not what its derivation makes")
      case .toOne(let relationship):
        guard let wanted = entity.relationship(named: relationship.name) else { continue }
        let expected = try source.destination(of: wanted)
        let found = row.isNull(field) ? nil : row.integer(field)
        if expected != nil || found != nil { result.linkCount += 1 }
        if expected != found {
          result.add(entity.name, source.key, relationship.name, "it leads to another object")
        }
      }
    }
  }
}

/// All columns of the rows of one entity, by name.
private final class SourceRows {
  let rows: PlainQuery
  let places: [String: Int32]
  private let store: AppleStore
  private let entity: EntityDescription
  private var queries: [ObjectIdentifier: PlainQuery] = [:]

  init?(_ entity: EntityDescription, _ store: AppleStore) throws {
    let layout = store.layout
    guard let table = layout.table(of: entity), let number = layout.numbers[entity.index] else { return nil }
    self.entity = entity
    self.store = store
    rows = try store.database.query(
      "SELECT * FROM \(PlainDatabase.quoted(table)) WHERE Z_ENT = \(number) AND Z_PK > 0 ORDER BY Z_PK")
    let names = layout.tables[table] ?? []
    places = Dictionary(names.enumerated().map { ($0.element, Int32($0.offset)) }) { first, _ in first }
  }

  var key: Int64 { places["Z_PK"].map { rows.integer($0) } ?? 0 }
  var version: Int64 { places["Z_OPT"].map { rows.integer($0) } ?? 0 }

  /// Where a to-one leads: to an object that is there and of the right entity, and that leads back,
  /// or nowhere, where its side is to-one as well.
  func destination(of relationship: RelationshipDescription) throws -> Int64? {
    guard let query = try query(relationship) else { return nil }
    query.restart(key)
    guard try query.step(), query.kind(0) != .null else { return nil }
    return query.integer(0)
  }

  private func query(_ relationship: RelationshipDescription) throws -> PlainQuery? {
    if let known = queries[ObjectIdentifier(relationship)] { return known }
    let layout = store.layout
    let (own, other) = (layout.table(of: entity), layout.table(of: relationship.destination))
    guard let own, let other, let column = layout.toOne(relationship)?.column else { return nil }
    func q(_ name: String) -> String { PlainDatabase.quoted(name) }
    let family = relationship.destination.hierarchy.filter { !$0.isAbstract }.compactMap {
      layout.numbers[$0.index]
    }
    var condition = "d.Z_ENT IN (\(family.map(String.init).joined(separator: ", ")))"
    var sql =
      "SELECT d.Z_PK FROM \(q(own)) o JOIN \(q(other)) d ON d.Z_PK = o.\(q(column))"
      + " AND typeof(o.\(q(column))) = 'integer'"
    if let inverse = relationship.inverse, !inverse.isToMany, let back = layout.toOne(inverse)?.column {
      condition += " AND (d.\(q(back)) = o.Z_PK OR d.\(q(back)) IS NULL)"
      // What the other side references although this one says nothing.
      sql =
        "SELECT coalesce((\(sql) WHERE o.Z_PK = ?1 AND \(condition)), (SELECT min(b.Z_PK) FROM \(q(other)) b"
        + " JOIN \(q(own)) m ON m.Z_PK = ?1 AND m.\(q(column)) IS NULL WHERE b.\(q(back)) = ?1))"
    } else {
      sql += " WHERE o.Z_PK = ?1 AND \(condition)"
    }
    let query = try store.database.query(sql)
    queries[ObjectIdentifier(relationship)] = query
    return query
  }
}
