import ObjectModel
import StoreContract

/// The objects whose derived attributes saves may change, found by what the saves write.
struct DerivedChanges {
  private let connection: ServerConnection
  private let schema: ServerSchema
  private var concerned: [AttributeDescription: Concerned] = [:]

  struct Concerned {
    /// The numbers of objects that have the attribute.
    var owners: Set<Int64> = []
    /// The numbers of objects that it is derived from; which objects have them is read at the end.
    var sources: Set<Int64> = []
  }

  init(_ connection: ServerConnection, _ schema: ServerSchema) {
    (self.connection, self.schema) = (connection, schema)
  }

  var isEmpty: Bool { concerned.isEmpty }

  /// To be called before the save is written.
  ///
  /// One statement for each derived attribute whose sources are changed or deleted, and another where some
  /// are deleted.
  mutating func add(_ save: SaveChangesRequest) throws {
    for attribute in schema.derivedAttributes {
      guard let derivation = attribute.derivation else { continue }
      var own = Concerned()
      for node in save.inserted + save.updated.map(\.node) where node.entity.isKind(of: attribute.entity) {
        own.owners.insert(node.reference)
      }
      if let relationship = derivation.relationship {
        try add(save, relationship, derivation, to: &own)
      }
      if own.owners.isEmpty, own.sources.isEmpty { continue }
      concerned[attribute, default: Concerned()].owners.formUnion(own.owners)
      concerned[attribute, default: Concerned()].sources.formUnion(own.sources)
    }
  }

  private func add(
    _ save: SaveChangesRequest, _ relationship: RelationshipDescription, _ derivation: Derivation,
    to concerned: inout Concerned
  ) throws {
    let destination = relationship.destination
    let updated = save.updated.filter {
      $0.node.entity.isKind(of: destination) && derivation.reads($0.changedFields)
    }.map(\.node.reference)
    let inserted = save.inserted.filter { $0.entity.isKind(of: destination) }.map(\.reference)
    let deleted = save.deleted.filter { $0.objectID.entity.isKind(of: destination) }.map(\.objectID.reference)
    try lock(deleted, destination.root)
    concerned.sources.formUnion(updated + inserted)
    concerned.owners.formUnion(try owners(relationship, of: updated + deleted))
    for change in save.relationshipChanges where change.relationship === relationship.joinTableOwner {
      for link in change.added + change.removed {
        if change.relationship === relationship { concerned.owners.insert(link.source) }
        if change.relationship === relationship.inverse { concerned.owners.insert(link.destination) }
      }
    }
  }

  /// Locks objects that are to be deleted, so that no transaction links to them meanwhile: after the deletion
  /// nothing says which objects were linked to them.
  private func lock(_ references: [Int64], _ root: EntityDescription) throws {
    if references.isEmpty { return }
    try connection.run(
      "SELECT FROM \(schema.table(root).name.quoted) WHERE _id = ANY ($1::bigint[]) ORDER BY _id FOR UPDATE",
      [.numbers(references)])
  }

  /// The objects of an attribute, as they are related now; one statement where there are sources.
  func owners(of attribute: AttributeDescription) throws -> [Int64] {
    guard let own = concerned[attribute] else { return [] }
    var owners = own.owners
    if let relationship = attribute.derivation?.relationship {
      owners.formUnion(try self.owners(relationship, of: Array(own.sources)))
    }
    return owners.sorted()
  }

  /// The objects that a relationship leads from to some.
  private func owners(_ relationship: RelationshipDescription, of references: [Int64]) throws -> [Int64] {
    if references.isEmpty { return [] }
    let sql: String
    if let links = schema.link(relationship), relationship.hasJoinTable {
      let isOwner = relationship === relationship.joinTableOwner
      let (near, far) = isOwner ? ("_source", "_target") : ("_target", "_source")
      sql = "SELECT \(near) FROM \(links.name.quoted) WHERE \(far) = ANY ($1::bigint[])"
    } else if let column = schema.table(relationship.entity).column(.toOne(relationship)) {
      sql =
        "SELECT _id FROM \(schema.table(relationship.entity).name.quoted)"
        + " WHERE \(column.name.quoted) = ANY ($1::bigint[])"
    } else if let inverse = relationship.inverse,
      let column = schema.table(inverse.entity).column(.toOne(inverse))?.name.quoted
    {
      sql =
        "SELECT \(column) FROM \(schema.table(inverse.entity).name.quoted)"
        + " WHERE _id = ANY ($1::bigint[]) AND \(column) IS NOT NULL"
    } else {
      return []
    }
    let rows = try connection.run(sql, [.numbers(references)])
    return (0..<rows.count).map { rows.number($0, 0) }
  }
}

extension Derivation {
  /// Whether it may have another value where these fields of a destination change.
  fileprivate func reads(_ fields: PropertyIndexSet) -> Bool {
    if let inverse = relationship?.inverse, inverse.field >= 0, fields.contains(inverse.field) { return true }
    switch self {
    case .copy(_, let source, _), .sum(_, let source): return fields.contains(source.field)
    case .now, .count: return false
    }
  }
}
