import ObjectModel
import StoreContract

/// The table of a root entity, with the columns of all its subentities.
final class ServerTable: Sendable {
  struct Column: Sendable {
    let name: String
    let type: ServerType
    let field: StoredField
    /// Whether it is a text that is in an index.
    let isIndexedText: Bool

    /// What equal values have in common, in SQL.
    var comparable: String {
      guard case .attribute(let attribute) = field, attribute.sealing == .equality else { return name.quoted }
      return Self.equality(name.quoted)
    }

    /// The part of a sealed value by which equal ones are recognised.
    static func equality(_ column: String) -> String { "substring(\(column), 1, 32)" }

    /// The beginning of a text, which is what indexes have of it: 640 bytes at most.
    ///
    /// Beginnings are equal where texts are, and in their order.
    static func beginning(_ column: String) -> String { "left(\(column), \(beginningLength))" }

    /// In characters.
    static let beginningLength = 160
  }

  let root: EntityDescription
  let name: String
  let quoted: String
  /// The name of the primary key.
  let key: String
  let columns: [Column]
  private let places: [ObjectIdentifier: Int]

  init(root: EntityDescription, naming: inout ServerNaming) {
    self.root = root
    name = naming.unique(root.name)
    quoted = name.quoted
    key = naming.own("_\(name)_key")
    var own = ServerNaming(
      reserved: ["_id", "_entity", "_version", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"])
    var columns: [Column] = []
    var places: [ObjectIdentifier: Int] = [:]
    let indexed = Set(
      root.hierarchy.flatMap(\.fetchIndexes).flatMap(\.elements).filter { !$0.isFullText }
        .compactMap(\.propertyName))
    // By name, so that an order of declarations that changes gives the same names.
    for entity in root.hierarchy.sorted(by: { $0.name < $1.name }) {
      for field in entity.storedFields.sorted(by: { $0.name < $1.name })
      where places[field.identity] == nil {
        places[field.identity] = columns.count
        let type = ServerType(field)
        columns.append(
          Column(
            name: own.unique(field.name), type: type, field: field,
            isIndexedText: type == .text && (field.isIndexed || indexed.contains(field.name))))
      }
    }
    (self.columns, self.places) = (columns, places)
  }

  /// The column of a field of the root or a subentity.
  func column(_ field: StoredField) -> Column? { places[field.identity].map { columns[$0] } }

  /// The columns of an entity's fields, in their order.
  func columns(of entity: EntityDescription) -> [Column] { entity.storedFields.compactMap(column) }

  var creation: String {
    let own = columns.map { "\($0.name.quoted) \($0.type.name)" }
    let all =
      [
        "_id bigint CONSTRAINT \(key.quoted) PRIMARY KEY", "_entity bigint NOT NULL",
        "_version bigint NOT NULL",
      ] + own
    return "CREATE TABLE \(name.quoted) (\(all.joined(separator: ", ")))"
  }
}

extension StoredField {
  /// Whether it is an attribute that is marked indexed.
  fileprivate var isIndexed: Bool {
    if case .attribute(let attribute) = self { attribute.declaration.isIndexed } else { false }
  }
}
