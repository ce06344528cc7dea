import Foundation
import StoreContract
import Strongroom

/// Writes the objects of one entity to a file: a row each in CSV, a line each in JSON.
///
/// A thousand objects are in memory at a time.
struct ExportWriter {
  enum Form: String, CaseIterable { case json, csv }

  private let entity: EntityDescription
  private let container: PersistentContainer
  private let form: Form
  private let attributes: [AttributeDescription]
  private let relationships: [RelationshipDescription]
  private static let chunk = 1000

  init(_ entity: EntityDescription, _ container: PersistentContainer, _ form: Form) {
    self.entity = entity
    self.container = container
    self.form = form
    attributes = entity.attributes.filter { !$0.isTransient }
    relationships = entity.relationships.filter { !$0.isTransient }
  }

  /// - `progress`: Called with the number of objects written.
  func write(to file: FileHandle, progress: (Int) throws -> Void) throws -> Int {
    if form == .csv {
      try file.write(
        contentsOf: Data((Self.line(["_id"] + attributes.map(\.name) + relationships.map(\.name))).utf8))
    }
    let toOnes = relationships.filter { !$0.isToMany }
    var request = FetchRequest(entity.name)
    request.includesSubentities = false
    request.propertiesToFetch =
      [ExpressionDescription("", as: "_id")] + attributes.map { ExpressionDescription($0.name) }
      + toOnes.map { ExpressionDescription($0.name) }
    var waiting: [(reference: Int64, values: [AttributeValue])] = []
    var done = 0
    func flush() throws {
      try file.write(contentsOf: try text(waiting, toOnes))
      done += waiting.count
      waiting = []
      try progress(done)
    }
    try container.newContext().enumerateRows(request) { row in
      waiting.append((row.integer(0), (1..<row.count).map { row.value($0) }))
      if waiting.count == Self.chunk { try flush() }
      return true
    }
    try flush()
    return done
  }

  private func text(
    _ rows: [(reference: Int64, values: [AttributeValue])], _ toOnes: [RelationshipDescription]
  ) throws
    -> Data
  {
    let references = rows.map(\.reference)
    var targets: [RelationshipDestinations] = []
    for relationship in relationships where relationship.isToMany {
      targets.append(
        try container.persistentStoreCoordinator.persistentStore.newValues(for: relationship, of: references))
    }
    var data = Data()
    for (index, row) in rows.enumerated() {
      var (one, many) = (attributes.count, 0)
      let related: [[Int64]] = relationships.map { relationship in
        if relationship.isToMany {
          defer { many += 1 }
          return Array(targets[many].destinations(at: index))
        }
        defer { one += 1 }
        if case .reference(let reference) = row.values[one] { return [reference] }
        return []
      }
      data +=
        form == .csv ? csv(row.reference, row.values, related) : try json(row.reference, row.values, related)
    }
    return data
  }

  private func csv(_ reference: Int64, _ values: [AttributeValue], _ related: [[Int64]]) -> Data {
    let cells =
      attributes.indices.map { values[$0].text } + related.map { $0.map(String.init).joined(separator: " ") }
    return Data(Self.line([String(reference)] + cells).utf8)
  }

  private func json(_ reference: Int64, _ values: [AttributeValue], _ related: [[Int64]]) throws -> Data {
    var object: [String: Any] = ["_id": reference]
    for (attribute, value) in zip(attributes, values) { object[attribute.name] = Self.json(value) }
    for (relationship, targets) in zip(relationships, related) {
      object[relationship.name] =
        relationship.isToMany ? targets : targets.first.map { $0 as Any } ?? NSNull()
    }
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
    return try JSONSerialization.data(withJSONObject: object, options: options) + Data("\n".utf8)
  }

  private static func json(_ value: AttributeValue) -> Any {
    switch value {
    case .null: NSNull()
    case .boolean(let flag): flag
    case .integer(let integer), .reference(let integer): integer
    // JSON cannot represent infinity and NaN.
    case .double(let double): double.isFinite ? double as Any : value.text
    case .composite(let elements): elements.mapValues { json($0) }
    default: value.text
    }
  }

  private static func line(_ cells: [String]) -> String {
    cells.map(RowPrinter.field).joined(separator: ",") + "\r\n"
  }
}
