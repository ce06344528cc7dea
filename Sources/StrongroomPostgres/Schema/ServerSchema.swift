import ObjectModel
import StoreContract

/// The tables, join tables, indexes and constraints that a model becomes.
final class ServerSchema: Sendable {
  /// A uniqueness constraint of an entity, by the name it has on the server.
  struct Uniqueness: Sendable {
    let name: String
    let entity: EntityDescription
    let columns: [ServerTable.Column]
  }

  let model: ManagedObjectModel
  /// The number that `_entity` has for each entity, by name.
  let entityNumbers: [String: Int64]
  private let entitiesByNumber: [Int64: EntityDescription]
  /// By entity index; subentities share their root's.
  private let tables: [ServerTable]
  private let links: [ObjectIdentifier: ServerLinkTable]
  private let orderedLinks: [ServerLinkTable]
  let uniqueness: [Uniqueness]
  /// The statements that make it all in an empty schema.
  let creation: [String]

  /// - Parameters:
  ///   - model: The model.
  ///   - entityNumbers: The number of each entity, by name.
  init(_ model: ManagedObjectModel, entityNumbers: [String: Int64]) {
    self.model = model
    self.entityNumbers = entityNumbers
    let numbered = model.entities.compactMap { entity in entityNumbers[entity.name].map { ($0, entity) } }
    entitiesByNumber = Dictionary(numbered) { first, _ in first }
    // By name, so that an order of declarations that changes gives the same names.
    let entities = model.entities.sorted { $0.name < $1.name }
    var naming = ServerNaming(reserved: ServerHistory.tables.union(["_store", "_sequence"]))
    let roots = entities.filter { $0.superentity == nil }
    let byRoot = roots.map { ($0, ServerTable(root: $0, naming: &naming)) }
    let tableOfRoot = Dictionary(uniqueKeysWithValues: byRoot)
    tables = model.entities.compactMap { tableOfRoot[$0.root] }
    var links: [ObjectIdentifier: ServerLinkTable] = [:]
    var ordered: [ServerLinkTable] = []
    for relationship in entities.flatMap(\.relationships) where relationship.hasJoinTable {
      let owner = relationship.joinTableOwner
      if links[ObjectIdentifier(owner)] != nil { continue }
      let table = ServerLinkTable(owner: owner, naming: &naming)
      links[ObjectIdentifier(owner)] = table
      ordered.append(table)
    }
    (self.links, orderedLinks) = (links, ordered)
    let indexes = ServerIndexes(entities: entities, tables: tables, numbers: entityNumbers)
    uniqueness = indexes.uniqueness(naming: &naming)
    creation =
      byRoot.map(\.1.creation) + ordered.flatMap(\.creation)
      + uniqueness.map(indexes.creation) + indexes.others(naming: &naming)
  }

  func number(_ entity: EntityDescription) -> Int64 { entityNumbers[entity.name] ?? 0 }
  func entity(number: Int64) -> EntityDescription? { entitiesByNumber[number] }

  /// That a row is of an entity, or one of its subentities.
  func condition(_ entity: EntityDescription, withSubentities: Bool = true) -> String {
    entityNumbers.condition(withSubentities ? entity.hierarchy : [entity])
  }

  func table(_ entity: EntityDescription) -> ServerTable { tables[entity.index] }

  func link(_ relationship: RelationshipDescription) -> ServerLinkTable? {
    links[ObjectIdentifier(relationship.joinTableOwner)]
  }

  /// The join tables with rows that go with an object of an entity, with the end that it is at.
  func ends(of entity: EntityDescription) -> [(table: ServerLinkTable, column: String)] {
    orderedLinks.flatMap { table -> [(ServerLinkTable, String)] in
      var ends: [(ServerLinkTable, String)] = []
      if entity.isKind(of: table.owner.entity) { ends.append((table, "_source")) }
      // Links of a relationship without an inverse are left to the context, which knows of them.
      if table.owner.inverse != nil, entity.isKind(of: table.owner.destination) {
        ends.append((table, "_target"))
      }
      return ends
    }
  }
}

/// The statements for indexes and uniqueness constraints.
private struct ServerIndexes {
  let entities: [EntityDescription]
  /// By entity index.
  let tables: [ServerTable]
  let numbers: [String: Int64]

  private func column(_ property: String, of entity: EntityDescription) -> ServerTable.Column? {
    entity.storedFields.first { $0.name == property }.flatMap { tables[entity.index].column($0) }
  }

  func uniqueness(naming: inout ServerNaming) -> [ServerSchema.Uniqueness] {
    var all: [ServerSchema.Uniqueness] = []
    for entity in entities {
      for constraint in entity.declaration.uniquenessConstraints {
        let columns = constraint.propertyNames.compactMap { column($0, of: entity) }
        if columns.count != constraint.propertyNames.count { continue }
        let name = naming.own("_\(entity.name)_unique_\(constraint.propertyNames.joined(separator: "_"))")
        all.append(.init(name: name, entity: entity, columns: columns))
      }
    }
    return all
  }

  /// Checked at the end of a save, so that objects can exchange their values; a subentity's covers its own
  /// rows only, which the server has exclusion constraints for.
  func creation(_ uniqueness: ServerSchema.Uniqueness) -> String {
    let names = uniqueness.columns.map(\.name.quoted)
    let table = tables[uniqueness.entity.index].name.quoted
    let start = "ALTER TABLE \(table) ADD CONSTRAINT \(uniqueness.name.quoted)"
    if uniqueness.entity.superentity == nil {
      return "\(start) UNIQUE (\(names.joined(separator: ", "))) DEFERRABLE INITIALLY DEFERRED"
    }
    let pairs = names.map { "\($0) WITH =" }.joined(separator: ", ")
    return "\(start) EXCLUDE USING btree (\(pairs)) WHERE (\(numbers.condition(uniqueness.entity.hierarchy)))"
      + " DEFERRABLE INITIALLY DEFERRED"
  }

  /// Every to-one, attributes marked indexed, and the declared fetch indexes of plain columns.
  func others(naming: inout ServerNaming) -> [String] {
    var statements: [String] = []
    for table in entities.filter({ $0.superentity == nil }).map({ tables[$0.index] }) {
      for column in table.columns where column.wantsIndex {
        let name = naming.own("_\(table.name)_\(column.name)")
        statements.append(
          "CREATE INDEX \(name.quoted) ON \(table.name.quoted) (\(column.name.quoted))")
      }
    }
    for entity in entities {
      for index in entity.fetchIndexes {
        let names = index.elements.map(\.propertyName)
        let columns = names.compactMap { $0.flatMap { column($0, of: entity) } }
        if columns.isEmpty || columns.count != names.count || !columns.allSatisfy(\.isShort) { continue }
        let table = tables[entity.index]
        let terms = zip(columns, index.elements).map {
          $0.name.quoted + ($1.isAscending ? "" : " DESC NULLS LAST")
        }
        let name = naming.own("_\(table.name)_\(index.name)")
        statements.append(
          "CREATE INDEX \(name.quoted) ON \(table.name.quoted) (\(terms.joined(separator: ", ")))")
      }
    }
    return statements
  }
}

extension ServerTable.Column {
  fileprivate var wantsIndex: Bool {
    switch field {
    case .attribute(let attribute): attribute.declaration.isIndexed && isShort
    case .toOne: true
    }
  }

  /// Whether every value fits into an index: texts and bytes may be longer than a third of a page.
  fileprivate var isShort: Bool { type != .text && type != .bytes }
}

extension [String: Int64] {
  /// That a row is of one of some entities.
  fileprivate func condition(_ entities: [EntityDescription]) -> String {
    "_entity IN (\(entities.compactMap { self[$0.name] }.map(String.init).joined(separator: ", ")))"
  }
}
