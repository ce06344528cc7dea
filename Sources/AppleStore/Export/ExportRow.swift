import CipherDatabase
import Foundation
import KeyedArchive
import ObjectModel
import SQLCipherStore
import StoreContract

/// Puts the fields of rows of one entity into the columns that Core Data gives it.
struct ExportRow {
  private enum Target {
    case value(AttributeDescription, Int32)
    case composite([(attribute: AttributeDescription, column: AppleColumn?)], first: Int32)
    /// The place of the column with the number of the destination's entity, where there is one.
    case toOne(RelationshipDescription, Int32, beside: Int32?)
  }

  /// The names of the columns, after those of key, entity and version.
  private(set) var columns: [String] = []
  private var targets: [(field: Int, target: Target)] = []
  private let layout: AppleLayout
  private let entityOf: (Int64, EntityDescription) throws -> EntityDescription?

  init(
    _ entity: EntityDescription, _ layout: AppleLayout,
    entityOf: @escaping (Int64, EntityDescription) throws -> EntityDescription?
  ) {
    self.layout = layout
    self.entityOf = entityOf
    for (field, stored) in entity.storedFields.enumerated() {
      switch stored {
      case .attribute(let attribute):
        switch layout.column(of: attribute) {
        case .column(let name): targets.append((field, .value(attribute, add(name))))
        case .elements(let elements):
          let first = Int32(columns.count + Self.before)
          addElements(elements)
          targets.append((field, .composite(elements, first: first)))
        case nil: continue
        }
      case .toOne(let relationship):
        guard let toOne = layout.toOne(relationship) else { continue }
        let place = add(toOne.column)
        targets.append((field, .toOne(relationship, place, beside: toOne.entityColumn.map { add($0) })))
      }
    }
  }

  /// The number of the first parameter after key, entity and version.
  private static let before = 4

  private mutating func add(_ name: String) -> Int32 {
    columns.append(name)
    return Int32(columns.count + Self.before - 1)
  }

  private mutating func addElements(_ elements: [(attribute: AttributeDescription, column: AppleColumn?)]) {
    for element in elements {
      switch element.column {
      case .column(let name): _ = add(name)
      case .elements(let inner): addElements(inner)
      case nil: continue
      }
    }
  }

  /// Binds the values of a row; null fields stay null.
  func bind(
    _ row: StoreRow, _ parameters: PlainParameters, summary: inout AppleStoreExport.Summary
  ) throws {
    for (field, target) in targets where !row.isNull(field) {
      switch target {
      case .value(let attribute, let place): bind(row, field, attribute, parameters, place)
      case .composite(let elements, let first):
        guard case .composite(let values)? = CompositeCoding.decode(row.bytes(field)) else { continue }
        var place = first
        bind(values, elements, parameters, &place)
      case .toOne(let relationship, let place, let beside):
        let reference = row.integer(field)
        parameters.bind(place, reference)
        summary.linkCount += 1
        guard let beside, let entity = try entityOf(reference, relationship.destination.root),
          let number = layout.numbers[entity.index]
        else { continue }
        parameters.bind(beside, number)
      }
    }
  }

  private func bind(
    _ row: StoreRow, _ field: Int, _ attribute: AttributeDescription, _ parameters: PlainParameters,
    _ place: Int32
  ) {
    switch attribute.type {
    case .integer16, .integer32, .integer64, .boolean: parameters.bind(place, row.integer(field))
    case .double, .float, .date: parameters.bind(place, row.double(field))
    case .string, .uri, .objectID, .undefined: parameters.bind(place, text: row.bytes(field))
    case .uuid: parameters.bind(place, blob: row.bytes(field))
    case .decimal:
      if let decimal = DecimalCoding.decode(row.bytes(field)) { bind(decimal, parameters, place) }
    case .binary, .transformable: bind(Data(row.bytes(field)), attribute, parameters, place)
    case .composite: break
    }
  }

  private func bind(
    _ values: [String: AttributeValue], _ elements: [(attribute: AttributeDescription, column: AppleColumn?)],
    _ parameters: PlainParameters, _ place: inout Int32
  ) {
    for element in elements {
      let value = values[element.attribute.name]
      switch element.column {
      case .column:
        if let value { bind(value, element.attribute, parameters, place) }
        place += 1
      case .elements(let inner):
        if case .composite(let own)? = value {
          bind(own, inner, parameters, &place)
        } else {
          bind([:], inner, parameters, &place)
        }
      case nil: continue
      }
    }
  }

  private func bind(
    _ value: AttributeValue, _ attribute: AttributeDescription, _ parameters: PlainParameters, _ place: Int32
  ) {
    switch value {
    case .integer(let integer): parameters.bind(place, integer)
    case .boolean(let flag): parameters.bind(place, flag ? 1 as Int64 : 0)
    case .double(let double): parameters.bind(place, double)
    case .date(let date): parameters.bind(place, date.timeIntervalSinceReferenceDate)
    case .string(let text): parameters.bind(place, text)
    case .uri(let url): parameters.bind(place, url.absoluteString)
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { parameters.bind(place, blob: $0, copy: true) }
    case .decimal(let decimal): bind(decimal, parameters, place)
    case .data(let data): bind(data, attribute, parameters, place)
    default: break
    }
  }

  /// Core Data stores decimals as floating-point numbers.
  private func bind(_ decimal: Decimal, _ parameters: PlainParameters, _ place: Int32) {
    parameters.bind(place, Double(decimal.description) ?? .nan)
  }

  /// Bytes that may lie in a file of their own begin with a mark; 1 says that they do not.
  private func bind(
    _ data: Data, _ attribute: AttributeDescription, _ parameters: PlainParameters, _ place: Int32
  ) {
    var bytes = data
    if attribute.type == .transformable, !attribute.isOpaque {
      bytes = ArchivedJSON.archive(bytes, isOfSwift: attribute.isOfSwift) ?? bytes
    }
    if attribute.declaration.allowsExternalBinaryDataStorage { bytes = [1] + bytes }
    bytes.withUnsafeBytes { parameters.bind(place, blob: $0, copy: true) }
  }
}
