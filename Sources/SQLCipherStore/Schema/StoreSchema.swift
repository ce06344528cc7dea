import ObjectModel
import StoreContract

/// The tables, to-many tables and index tables that a model becomes.
final class StoreSchema: Sendable {
  let model: ManagedObjectModel
  /// By entity index; subentities share their root's.
  let tables: [EntityTable]
  /// By link owner.
  let linkTables: [ObjectIdentifier: LinkTable]
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
    var byRoot: [Entity: EntityTable] = [:]
    for entity in model.entities where entity.superentity == nil {
      byRoot[entity] = EntityTable(root: entity, naming: &naming)
    }
    tables = model.entities.map { byRoot[$0.root]! }
    var links: [ObjectIdentifier: LinkTable] = [:]
    var ordered: [LinkTable] = []
    for entity in model.entities {
      for relationship in entity.relationships where relationship.hasLinkTable {
        let owner = relationship.linkOwner
        if links[ObjectIdentifier(owner)] == nil {
          let table = LinkTable(owner: owner, naming: &naming)
          links[ObjectIdentifier(owner)] = table
          ordered.append(table)
        }
      }
    }
    linkTables = links
    let indexes = IndexStatements(model: model, tables: tables, entityNumbers: entityNumbers)
    indexStatements = indexes.all(naming: &naming)
    orderedLinkTables = ordered
    oneDirectionalLinks = Dictionary(
      grouping: ordered.filter { $0.owner.inverse == nil }, by: { $0.owner.destination.root.index })
    virtualIndexes = VirtualIndex.all(model)
    triggerStatements = DerivationTriggers(
      model: model, tables: tables, linkTables: links, entityNumbers: entityNumbers
    ).all(naming: &naming)
  }

  let orderedLinkTables: [LinkTable]
  /// Link tables whose targets know nothing of them, by the root of the target's entity.
  let oneDirectionalLinks: [Int: [LinkTable]]

  /// The entities that have a table of their own.
  var roots: [Entity] { model.entities.filter { $0.superentity == nil } }

  func table(_ entity: Entity) -> EntityTable { tables[entity.index] }

  func linkTable(_ relationship: Relationship) -> LinkTable? {
    linkTables[ObjectIdentifier(relationship.linkOwner)]
  }

  /// The index of an attribute's words.
  func wordIndex(of attribute: Attribute) -> VirtualIndex? {
    virtualIndexes.first {
      $0.kind == .words && $0.entity === attribute.entity && $0.attributes.contains(attribute)
    }
  }

  /// The R-trees of an entity's rows.
  func boxIndexes(of entity: Entity) -> [VirtualIndex] {
    virtualIndexes.filter { $0.kind == .boxes && entity.isKind(of: $0.entity) }
  }

  func entityIndex(number: Int64) -> Int? { entityIndices[number] }

  /// Every statement that makes the tables, indexes and triggers of a new store.
  var creation: [String] {
    roots.map { table($0).creation }
      + orderedLinkTables.flatMap(\.creation) + indexStatements
      + virtualIndexes.flatMap { $0.creation(table($0.entity), entityNumbers) } + triggerStatements
  }

  /// Statements that made triggers of stores which are still read.
  var formerCreation: [String] {
    virtualIndexes.flatMap { $0.creation(table($0.entity), entityNumbers, isFormer: true) }
  }
}
