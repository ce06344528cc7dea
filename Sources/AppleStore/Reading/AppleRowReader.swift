import CipherDatabase
import ObjectModel
import StoreContract

/// Reads the rows of one entity, in the order of their keys.
final class AppleRowReader {
  private enum Source {
    case nothing
    case value(AttributeDescription, Int32)
    case composite(AttributeDescription, [Element])
    case toOne(AppleToOneReader)
  }

  private indirect enum Element {
    case value(AttributeDescription, Int32)
    case composite(AttributeDescription, [Element])

    var name: String {
      switch self {
      case .value(let attribute, _), .composite(let attribute, _): attribute.name
      }
    }
  }

  let entity: EntityDescription
  private let rows: PlainQuery
  private var sources: [(property: String, source: Source)] = []

  /// Nil for an entity that the store has no rows of.
  init?(
    _ entity: EntityDescription, _ store: AppleStore, _ objects: AppleObjects
  ) throws {
    let layout = store.layout
    guard let table = layout.table(of: entity), let number = layout.numbers[entity.index] else { return nil }
    self.entity = entity
    var selected = ["Z_PK", "Z_OPT"]
    func place(_ column: String) -> Int32 {
      selected.append(PlainDatabase.quoted(column))
      return Int32(selected.count - 1)
    }
    func elements(_ found: [(attribute: AttributeDescription, column: AppleColumn?)]) -> [Element] {
      found.compactMap { element in
        switch element.column {
        case .column(let column): .value(element.attribute, place(column))
        case .elements(let inner): .composite(element.attribute, elements(inner))
        case nil: nil
        }
      }
    }
    for field in entity.storedFields {
      switch field {
      case .attribute(let attribute):
        let source: Source
        // A derived value is computed by the new store.
        switch attribute.derivation == nil ? layout.column(of: attribute) : nil {
        case .column(let column): source = .value(attribute, place(column))
        case .elements(let found): source = .composite(attribute, elements(found))
        case nil: source = .nothing
        }
        sources.append((attribute.name, source))
      case .toOne(let relationship):
        guard let toOne = layout.toOne(relationship) else {
          sources.append((relationship.name, .nothing))
          continue
        }
        let (column, beside) = (place(toOne.column), toOne.entityColumn.map(place))
        let reader = try AppleToOneReader(relationship, column, beside, store, objects)
        sources.append((relationship.name, .toOne(reader)))
      }
    }
    rows = try store.database.query(
      "SELECT \(selected.joined(separator: ", ")) FROM \(PlainDatabase.quoted(table)) WHERE Z_ENT = \(number)"
        + " ORDER BY Z_PK")
  }

  /// Moves to the next row; false after the last.
  func next() throws -> Bool { try rows.step() }

  var key: Int64 { rows.integer(0) }
  var version: Int64 { rows.integer(1) }

  /// Sets the fields of the row.
  func read(
    into builder: NodeBuilder, files: ExternalFiles, completing completions: OneToOneCompletion,
    report: (AppleStoreFault) -> Void
  ) throws {
    try withoutActuallyEscaping(report) { report in
      for (field, (property, source)) in sources.enumerated() {
        func fault(_ kind: AppleStoreFault.Kind, _ message: String) {
          report(AppleStoreFault(kind, entity.name, key, property, message))
        }
        let values = AppleValueReader(files: files) { fault(.value, $0) }
        switch source {
        case .nothing: continue
        case .value(let attribute, let column): try values.read(rows, column, attribute, into: builder)
        case .composite(let attribute, let elements):
          if let value = composite(elements, values) { try builder.set(attribute, value) }
        case .toOne(let reader):
          if let reference = try reader.read(rows, key, completions, fault) {
            builder.set(field, integer: reference)
          }
          continue
        }
        checkPresence(field, builder, fault)
      }
    }
  }

  /// A composite without any value is none: the columns cannot tell the two apart.
  private func composite(_ elements: [Element], _ values: AppleValueReader) -> AttributeValue? {
    var found: [String: AttributeValue] = [:]
    for element in elements {
      let value: AttributeValue?
      switch element {
      case .value(let attribute, let column): value = values.value(rows, column, attribute)
      case .composite(_, let inner): value = composite(inner, values)
      }
      if let value { found[element.name] = value }
    }
    return found.isEmpty ? nil : .composite(found)
  }

  private func checkPresence(
    _ field: Int, _ builder: NodeBuilder, _ fault: (AppleStoreFault.Kind, String) -> Void
  ) {
    guard builder.isNull(field), case .attribute(let attribute) = entity.storedFields[field],
      !attribute.isOptional, attribute.type != .composite
    else { return }
    fault(.value, "a mandatory value that is null")
  }
}
