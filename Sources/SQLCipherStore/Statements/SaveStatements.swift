import CipherDatabase
import Locks
import ObjectModel
import StoreContract

/// The statements of saves, each made at its first use.
final class SaveStatements: Sendable {
  private enum Purpose: Hashable {
    case insertion(entity: Int, rows: Int)
    case update(entity: Int, PropertyIndexSet)
    case deletion(entity: Int)
    case version(entity: Int)
    case existence(entity: Int)
    case missing(entity: Int)
    case entities(entity: Int, few: Bool)
    case references(ObjectIdentifier)
    case linkInsertion(ObjectIdentifier, rows: Int)
    case linkDeletion(ObjectIdentifier)
  }

  /// How many objects `existence` and `entities` ask for.
  static let few = 4
  /// How many statements are remembered.
  static let most = 1024

  private let schema: StoreSchema
  private let texts = Locked<[Purpose: StatementText]>([:])
  private let linkDeletions = Locked<[Int: [StatementText]]>([:])

  init(_ schema: StoreSchema) { self.schema = schema }

  var count: Int { texts.withLock { $0.count } }

  private func text(_ purpose: Purpose, _ sql: () -> String) -> StatementText {
    texts.withLock { texts in
      if let known = texts[purpose] { return known }
      let new = StatementText(sql())
      // An entity of many attributes has endless sets of changed ones.
      if texts.count >= Self.most { texts.removeAll() }
      texts[purpose] = new
      return new
    }
  }

  private func table(_ entity: EntityDescription) -> String { schema.table(entity).name.quoted }

  // MARK: Rows

  /// Inserts rows, for each in turn: id, entity, version, then the entity's fields in order.
  func insertion(_ entity: EntityDescription, rows: Int) -> StatementText {
    text(.insertion(entity: entity.index, rows: rows)) { schema.insertion(entity, rows: rows) }
  }

  /// `?1` id, `?2` the version it must have, then the fields in order.
  func update(_ fields: PropertyIndexSet, of entity: EntityDescription) -> StatementText {
    text(.update(entity: entity.index, fields)) { schema.updating(fields.elements, of: entity) }
  }

  /// `?1` id, `?2` the version it must have.
  func deletion(_ entity: EntityDescription) -> StatementText {
    text(.deletion(entity: entity.index)) { "DELETE FROM \(table(entity)) WHERE _id = ?1 AND _version = ?2" }
  }

  /// Selects a row where there is one with id `?1` and version `?2`.
  func version(_ entity: EntityDescription) -> StatementText {
    text(.version(entity: entity.index)) {
      "SELECT 1 FROM \(table(entity)) WHERE _id = ?1 AND _version = ?2"
    }
  }

  /// Whether all of `few` objects exist.
  func existence(_ entity: EntityDescription) -> StatementText {
    text(.existence(entity: entity.index)) {
      let tests = (1...Self.few).map { "EXISTS (SELECT 1 FROM \(table(entity)) WHERE _id = ?\($0))" }
      return "SELECT " + tests.joined(separator: " AND ")
    }
  }

  /// Selects the positions in the list `?1` whose objects do not exist.
  func missing(_ entity: EntityDescription) -> StatementText {
    text(.missing(entity: entity.index)) {
      "SELECT r.position FROM _integers(?1) AS r LEFT JOIN \(table(entity)) AS t ON t._id = r.value"
        + " WHERE t._id IS NULL"
    }
  }

  /// Selects the ids and own entities of the `few` objects, or of those in the list `?1`, that exist.
  func entities(_ entity: EntityDescription, few: Bool) -> StatementText {
    text(.entities(entity: entity.index, few: few)) {
      if !few {
        return "SELECT t._id, t._entity FROM _integers(?1) AS r JOIN \(table(entity)) AS t ON t._id = r.value"
      }
      let ids = (1...Self.few).map { "?\($0)" }.joined(separator: ", ")
      return "SELECT _id, _entity FROM \(table(entity)) WHERE _id IN (\(ids))"
    }
  }

  /// Selects the positions in the list `?1` that a to-one references; nil for one without a column.
  func references(_ toOne: RelationshipDescription) -> StatementText? {
    guard let column = schema.table(toOne.entity).column(toOne)?.name.quoted else { return nil }
    return text(.references(ObjectIdentifier(toOne))) {
      "SELECT r.position FROM _integers(?1) AS r WHERE EXISTS"
        + " (SELECT 1 FROM \(table(toOne.entity)) WHERE \(column) = r.value)"
    }
  }

  // MARK: Links

  /// For each link in turn source and destination; does nothing for a link that is there.
  func linkInsertion(_ links: JoinTable, rows: Int = 1) -> StatementText {
    text(.linkInsertion(ObjectIdentifier(links.owner), rows: rows)) { links.insertion(rows: rows) }
  }

  /// `?1` source, `?2` destination.
  func linkDeletion(_ links: JoinTable) -> StatementText {
    text(.linkDeletion(ObjectIdentifier(links.owner))) {
      "DELETE FROM \(links.name.quoted) WHERE _source = ?1 AND _target = ?2"
    }
  }

  /// Remove all links of an object, `?1` its id.
  func linkDeletions(_ entity: EntityDescription) -> [StatementText] {
    linkDeletions.withLock { texts in
      if let known = texts[entity.index] { return known }
      let new = schema.joinTableDeletions(entity).map(StatementText.init)
      texts[entity.index] = new
      return new
    }
  }
}
