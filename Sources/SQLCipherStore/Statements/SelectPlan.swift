import CipherDatabase
import ObjectModel
import StoreContract

/// How rows of one entity, with or without its subentities, are selected and decoded.
///
/// Made once per entity.
final class SelectPlan: Sendable {
  enum Kind: UInt8, Sendable { case integer, double, text, blob, external }

  /// The longest external value that is read with its row, in bytes: for longer ones, a statement
  /// of its own costs less than decrypting bytes that may never be read.
  static let longestExternalRead = 8192

  struct Step: Sendable {
    let column: Int32
    let field: Int
    let kind: Kind
  }

  let entity: EntityDescription
  /// `_id, _version`, `_entity` where there are subentities, then the columns.
  let columns: String
  private let names: [String]
  private let fieldNames: [Int: Set<String>]  // by result column, the properties that stand in it
  let hasEntityColumn: Bool
  /// Whether a row of a known version may have other values: derived ones change without it.
  let hasDerived: Bool
  let byReference: StatementText
  /// With external values, however long.
  let wholeByReference: StatementText
  /// The row's place in the list asked for comes last.
  let byReferences: StatementText
  let positionColumn: Int32
  private let steps: [[Step]]  // by position of the entity in `family`
  private let hierarchyPositions: [Int: Int]

  init(entity: EntityDescription, schema: StoreSchema) {
    self.entity = entity
    let table = schema.table(entity)
    hasEntityColumn = entity.hasSubentities
    hasDerived = entity.hierarchy.contains { $0.attributes.contains { $0.derivation != nil } }
    var names = ["t0._id", "t0._version"] + (hasEntityColumn ? ["t0._entity"] : [])
    var wholeNames = names
    var results: [Int: Int32] = [:]  // table ordinal -> result column
    var steps: [[Step]] = []
    var positions: [Int: Int] = [:]
    var properties: [Int: Set<String>] = [:]
    for (position, member) in entity.hierarchy.enumerated() {
      positions[member.index] = position
      steps.append(
        member.storedFields.enumerated().compactMap { field, stored in
          guard let ordinal = table.ordinal(stored) else { return nil }
          let column = table.columns[ordinal]
          let result = results[ordinal] ?? Int32(names.count)
          if results.updateValue(result, forKey: ordinal) == nil {
            let name = "t0." + column.name.quoted
            // Its length alone, a number, stands for what is left out; to tell a length SQLite
            // reads no content.
            names.append(
              column.isExternal
                ? "CASE WHEN length(\(name)) > \(Self.longestExternalRead) THEN length(\(name)) ELSE"
                  + " \(name) END"
                : name)
            wholeNames.append(name)
          }
          properties[Int(result), default: []].insert(stored.name)
          return Step(
            column: result, field: field,
            kind: column.isExternal ? .external : Kind(column.storage))
        })
    }
    columns = names.joined(separator: ", ")
    self.names = names
    fieldNames = properties
    self.steps = steps
    hierarchyPositions = positions
    let isOwn = Self.isOwn(entity, schema)
    let one = " FROM \(table.name.quoted) AS t0 WHERE t0._id = ?1\(isOwn)"
    byReference = StatementText("SELECT " + columns + one)
    wholeByReference = StatementText("SELECT " + wholeNames.joined(separator: ", ") + one)
    positionColumn = Int32(names.count)
    byReferences = StatementText(
      "SELECT \(columns), r.position FROM _integers(?1) AS r CROSS JOIN \(table.name.quoted) AS t0"
        + " ON t0._id = r.value\(isOwn)")
  }

  /// That a row is of the entity or one of its subentities; nothing where all rows of the table are.
  private static func isOwn(_ entity: EntityDescription, _ schema: StoreSchema) -> String {
    if entity.superentity == nil { return "" }
    let numbers = entity.hierarchy.map { String(schema.number($0)) }
    return " AND t0._entity IN (\(numbers.joined(separator: ", ")))"
  }

  /// The columns with null in place of all properties but those named.
  func columns(of wanted: Set<String>) -> String {
    names.enumerated().map { place, name in
      fieldNames[place].map { $0.isDisjoint(with: wanted) } == true ? "NULL" : name
    }.joined(separator: ", ")
  }

  /// Puts the columns of the row a statement stands on into a builder.
  @inline(__always)
  func decode(_ statement: Statement, _ entityIndex: Int, into builder: NodeBuilder) throws {
    guard let position = hasEntityColumn ? hierarchyPositions[entityIndex] : 0 else {
      throw StoreError(.fileDamaged, "a row of \(entity.name) names an entity outside its family")
    }
    let steps = steps[position]
    builder.begin(fieldCount: steps.count)
    steps.withUnsafeBufferPointer { steps in
      for step in steps { statement.decode(step.column, step.kind, into: step.field, of: builder) }
    }
  }
}

extension SelectPlan.Kind {
  init(_ storage: ColumnStorage) {
    switch storage {
    case .integer: self = .integer
    case .real: self = .double
    case .text: self = .text
    case .blob: self = .blob
    }
  }
}
