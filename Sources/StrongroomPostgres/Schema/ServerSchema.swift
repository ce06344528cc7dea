import LightweightMigration
import Locks
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
  /// The version hash of the model, in Base64.
  let version: String
  /// The number that `_entity` has for each entity, by name.
  let entityNumbers: [String: Int64]
  private let entitiesByNumber: [Int64: EntityDescription]
  /// By entity index.
  private let numbers: [Int64]
  /// By entity index; subentities share their root's.
  private let tables: [ServerTable]
  private let selectionsOfExisting: [String]
  // By entity index; made when they are asked for first.
  private let layouts = Locked<[Int: ServerRowLayout]>([:])
  private let insertions = Locked<[Int: ServerInsertion]>([:])
  // By the indexes of the root entities.
  private let existenceChecks = Locked<[[Int]: String]>([:])
  private let linkTables: [ObjectIdentifier: ServerLinkTable]
  let orderedLinks: [ServerLinkTable]
  let uniqueness: [Uniqueness]
  /// By the names of their entities and their own.
  let derivedAttributes: [AttributeDescription]
  /// The indexes and uniqueness constraints, without the keys of the tables.
  let indexes: [ServerIndex]

  /// - Parameters:
  ///   - model: The model.
  ///   - entityNumbers: The number of each entity, by name.
  init(_ model: ManagedObjectModel, entityNumbers: [String: Int64]) {
    self.model = model
    version = model.version
    self.entityNumbers = entityNumbers
    numbers = model.entities.map { entityNumbers[$0.name] ?? 0 }
    let numbered = model.entities.compactMap { entity in entityNumbers[entity.name].map { ($0, entity) } }
    entitiesByNumber = Dictionary(numbered) { first, _ in first }
    // By name, so that an order of declarations that changes gives the same names.
    let entities = model.entities.sorted { $0.name < $1.name }
    let others = ServerMetadata.tables
    var naming = ServerNaming(reserved: Set(others + others.map { "\($0)_pkey" }))
    let roots = entities.filter { $0.superentity == nil }
    let byRoot = roots.map { ($0, ServerTable(root: $0, naming: &naming)) }
    let tableOfRoot = Dictionary(uniqueKeysWithValues: byRoot)
    tables = model.entities.compactMap { tableOfRoot[$0.root] }
    selectionsOfExisting = tables.map { Self.existing($0) }
    var links: [ObjectIdentifier: ServerLinkTable] = [:]
    var ordered: [ServerLinkTable] = []
    for relationship in entities.flatMap(\.relationships) where relationship.hasJoinTable {
      let owner = relationship.joinTableOwner
      if links[ObjectIdentifier(owner)] != nil { continue }
      let table = ServerLinkTable(owner: owner, naming: &naming)
      links[ObjectIdentifier(owner)] = table
      ordered.append(table)
    }
    (linkTables, orderedLinks) = (links, ordered)
    versionCheck =
      "1 / coalesce((SELECT (value = '\(version)')::int FROM _store WHERE name = 'version'), 0) = 1"
    derivedAttributes = entities.flatMap { entity in
      entity.attributes.filter { $0.entity === entity && $0.derivation != nil && $0.field >= 0 }
        .sorted { $0.name < $1.name }
    }
    let indexes = ModelIndexes(entities: entities, tables: tables, numbers: entityNumbers)
    uniqueness = indexes.uniqueness(naming: &naming)
    self.indexes =
      ordered.map(\.index) + uniqueness.map(indexes.index) + indexes.others(naming: &naming)
  }

  /// Whether a save writes objects of an entity with a uniqueness constraint.
  func hasUniqueObjects(_ save: SaveChangesRequest) -> Bool {
    uniqueness.contains { constraint in
      save.inserted.contains { $0.entity.isKind(of: constraint.entity) }
        || save.updated.contains { $0.node.entity.isKind(of: constraint.entity) }
    }
  }

  /// The statements that make it all in an empty schema.
  var creation: [String] { tableCreation + indexes.map(\.creation) }

  /// The statements that make the tables, with no index but their keys.
  var tableCreation: [String] {
    roots.map { table($0).creation } + orderedLinks.map(\.creation)
  }

  /// The names of the tables.
  var tableNames: [String] { roots.map { table($0).name } + orderedLinks.map(\.name) }

  /// A condition that ends a statement with an error where the store has another version of the model.
  ///
  /// It is looked at once a statement, in the moment whose rows are read.
  let versionCheck: String

  func number(_ entity: EntityDescription) -> Int64 { numbers[entity.index] }
  func entity(number: Int64) -> EntityDescription? { entitiesByNumber[number] }

  /// That a row is of an entity, or one of its subentities.
  func condition(_ entity: EntityDescription, withSubentities: Bool = true) -> String {
    entityNumbers.condition(withSubentities ? entity.hierarchy : [entity])
  }

  func table(_ entity: EntityDescription) -> ServerTable { tables[entity.index] }

  /// How rows of an entity, with its subentities, are selected.
  func layout(_ entity: EntityDescription) -> ServerRowLayout {
    layouts.withLock { $0.value(entity.index) { ServerRowLayout(entity, self) } }
  }

  /// How rows of an entity's own are inserted.
  func insertion(_ entity: EntityDescription) -> ServerInsertion {
    insertions.withLock { $0.value(entity.index) { ServerInsertion(entity, self) } }
  }

  /// Selects one object of a hierarchy for each number of the parameter, and locks it against deletion.
  func existing(_ root: EntityDescription) -> String { selectionsOfExisting[root.index] }

  private static func existing(_ table: ServerTable, _ parameter: Int = 1) -> String {
    "SELECT _id FROM \(table.quoted) WHERE _id = ANY ($\(parameter)::bigint[]) FOR KEY SHARE"
  }

  /// Locks objects of several hierarchies against deletion, and ends the transaction where one is not there.
  ///
  /// The parameters are the numbers of those of each hierarchy, and how many they are.
  func existenceCheck(_ roots: [EntityDescription]) -> String {
    existenceChecks.withLock { checks in
      checks.value(roots.map(\.index)) {
        let counts = roots.enumerated().map { place, root in
          "(SELECT pg_catalog.count(*) FROM (\(Self.existing(table(root), 2 * place + 1))) AS found)"
            + " = $\(2 * place + 2)"
        }
        return "SELECT 1 / (\(counts.joined(separator: " AND ")))::int"
      }
    }
  }

  func link(_ relationship: RelationshipDescription) -> ServerLinkTable? {
    linkTables[ObjectIdentifier(relationship.joinTableOwner)]
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

extension Dictionary {
  /// The value of a key, which is made where there is none.
  fileprivate mutating func value(_ key: Key, _ make: () -> Value) -> Value {
    if let known = self[key] { return known }
    let new = make()
    self[key] = new
    return new
  }
}
