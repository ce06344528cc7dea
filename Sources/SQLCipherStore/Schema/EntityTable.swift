import ObjectModel

/// The table of a root entity, with the columns of all its subentities folded in.
final class EntityTable: Sendable {
  /// One stored attribute or to-one.
  struct Column: Sendable {
    let name: String
    let field: StoredField
    let storage: ColumnStorage

    var isExternal: Bool {
      if case .attribute(let attribute) = field { attribute.isExternal } else { false }
    }
  }

  let root: EntityDescription
  let name: String
  let columns: [Column]
  private let ordinals: [ObjectIdentifier: Int]

  init(root: EntityDescription, naming: inout Naming) {
    self.root = root
    name = naming.unique(root.name)
    var names = Naming(reserved: ["_id", "_entity", "_version", "rowid", "oid"])
    var columns: [Column] = []
    var ordinals: [ObjectIdentifier: Int] = [:]
    for entity in root.hierarchy {
      for field in entity.storedFields where ordinals[field.identity] == nil {
        ordinals[field.identity] = columns.count
        columns.append(
          Column(name: names.unique(field.name), field: field, storage: ColumnStorage(field)))
      }
    }
    self.columns = columns
    self.ordinals = ordinals
  }

  /// The position among `columns` of a stored attribute or to-one.
  func ordinal(_ field: StoredField) -> Int? { ordinals[field.identity] }

  func column(_ attribute: AttributeDescription) -> Column? {
    ordinals[ObjectIdentifier(attribute)].map { columns[$0] }
  }

  func column(_ toOne: RelationshipDescription) -> Column? {
    ordinals[ObjectIdentifier(toOne)].map { columns[$0] }
  }

  func column(_ property: PropertyDescription) -> Column? {
    switch property {
    case .attribute(let attribute): column(attribute)
    case .relationship(let relationship): column(relationship)
    }
  }

  var creation: String { creation(with: []) }

  /// The statement that makes the table with more columns than its own.
  func creation(with others: [String]) -> String {
    let own = ["_id INTEGER PRIMARY KEY NOT NULL", "_entity INTEGER NOT NULL", "_version INTEGER NOT NULL"]
    // To reach a column SQLite walks over all pages before it, so what is long and seldom read
    // comes last.
    let rest = (columns.filter { !$0.isExternal } + columns.filter(\.isExternal)).map {
      "\($0.name.quoted) \($0.storage.declaredType)"
    }
    return "CREATE TABLE \(name.quoted) (\((own + rest + others).joined(separator: ", ")))"
  }
}

/// How a column holds its values.
enum ColumnStorage: String, Codable, Sendable {
  case integer, real, text, blob

  init(_ field: StoredField) {
    switch field {
    case .toOne: self = .integer
    case .attribute(let attribute):
      switch attribute.type {
      case .integer16, .integer32, .integer64, .boolean: self = .integer
      case .double, .float, .date: self = .real
      case .string, .uri, .objectID, .composite, .undefined: self = .text
      case .uuid, .decimal, .binary, .transformable: self = .blob
      }
    }
  }

  var declaredType: String {
    switch self {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    }
  }
}
