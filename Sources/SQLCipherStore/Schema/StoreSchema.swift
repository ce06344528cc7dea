import ObjectModel
import StoreContract

/// The tables, to-many tables and index tables that a model becomes.
final class StoreSchema: Sendable {
  let model: ManagedObjectModel
  /// By entity index; subentities share their root's.
  let tables: [EntityTable]
  /// By link owner.
  let joinTables: [ObjectIdentifier: JoinTable]
  /// The number that `_entity` holds, by entity index.
  let entityNumbers: [Int64]
  private let entityIndices: [Int64: Int]
  let indexStatements: [String]
  let triggerStatements: [String]
  let virtualIndexes: [VirtualIndex]

  init(model: ManagedObjectModel, entityNumbers: [Int64]) {
    self.model = model
    self.entityNumbers = entityNumbers
    entityIndices = Dictionary(
      uniqueKeysWithValues: entityNumbers.enumerated().map { ($0.element, $0.offset) })
    var naming = Naming(reserved: ["_store", "_sequence"])
    let roots = model.entities.filter { $0.superentity == nil }
    let byRoot = Dictionary(
      uniqueKeysWithValues: roots.map { ($0, EntityTable(root: $0, naming: &naming)) })
    tables = model.entities.compactMap { byRoot[$0.root] }
    var links: [ObjectIdentifier: JoinTable] = [:]
    var ordered: [JoinTable] = []
    for entity in model.entities {
      for relationship in entity.relationships where relationship.hasJoinTable {
        let owner = relationship.joinTableOwner
        if links[ObjectIdentifier(owner)] == nil {
          let table = JoinTable(owner: owner, naming: &naming)
          links[ObjectIdentifier(owner)] = table
          ordered.append(table)
        }
      }
    }
    joinTables = links
    let indexes = IndexStatements(model: model, tables: tables, entityNumbers: entityNumbers)
    indexStatements = indexes.all(naming: &naming)
    orderedJoinTables = ordered
    unidirectionalJoinTables = Dictionary(
      grouping: ordered.filter { $0.owner.inverse == nil }, by: { $0.owner.destination.root.index })
    virtualIndexes = VirtualIndex.all(model)
    triggerStatements = DerivationTriggers(
      model: model, tables: tables, joinTables: links, entityNumbers: entityNumbers
    ).all(naming: &naming)
  }

  let orderedJoinTables: [JoinTable]
  /// Link tables whose destinations know nothing of them, by the root of the destination's entity.
  let unidirectionalJoinTables: [Int: [JoinTable]]

  func table(_ entity: EntityDescription) -> EntityTable { tables[entity.index] }

  func joinTable(_ relationship: RelationshipDescription) -> JoinTable? {
    joinTables[ObjectIdentifier(relationship.joinTableOwner)]
  }

  /// The index of an attribute's words.
  func fullTextIndex(of attribute: AttributeDescription) -> VirtualIndex? {
    virtualIndexes.first {
      $0.kind == .fullText && $0.entity === attribute.entity && $0.attributes.contains(attribute)
    }
  }

  /// The R-trees of an entity's rows.
  func rTreeIndexes(of entity: EntityDescription) -> [VirtualIndex] {
    virtualIndexes.filter { $0.kind == .rTree && entity.isKind(of: $0.entity) }
  }

  func number(_ entity: EntityDescription) -> Int64 { entityNumbers[entity.index] }
  func entityIndex(number: Int64) -> Int? { entityIndices[number] }

  /// Every statement that makes the tables, indexes and triggers of a new store.
  var creation: [String] {
    roots.map { table($0).creation }
      + orderedJoinTables.flatMap(\.creation) + indexStatements
      + virtualIndexes.flatMap { $0.creation(table($0.entity), entityNumbers) } + triggerStatements
  }

  /// Statements that made triggers of stores which are still read.
  var formerCreation: [String] {
    virtualIndexes.flatMap { $0.creation(table($0.entity), entityNumbers, isFormer: true) }
  }
}
