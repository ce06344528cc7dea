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
  private let names: [String]
  private let encoder: RowEncoder
  private static let chunk = 1000

  init(_ entity: EntityDescription, _ container: PersistentContainer, _ form: Form) {
    self.entity = entity
    self.container = container
    self.form = form
    attributes = entity.attributes.filter { !$0.isTransient }
    relationships = entity.relationships.filter { !$0.isTransient }
    let properties = attributes.map(\.name) + relationships.map(\.name)
    var number = "_id"
    while properties.contains(number) { number = "_" + number }
    names = [number] + properties
    encoder = RowEncoder(names)
  }

  /// - `progress`: Called with the number of objects written.
  func write(to file: FileHandle, progress: (Int) throws -> Void) throws -> Int {
    if form == .csv {
      try file.write(contentsOf: Data(Self.line(names).utf8))
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
    var text = ""
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
      let cells = cells(row, related)
      text += form == .csv ? Self.line(cells.map(\.text)) : encoder.object(cells) + "\n"
    }
    return Data(text.utf8)
  }

  private func cells(
    _ row: (reference: Int64, values: [AttributeValue]), _ related: [[Int64]]
  ) -> [Cell] {
    [.number(String(row.reference))] + zip(attributes, row.values).map { Cell($1, of: $0.type) }
      + zip(relationships, related).map { relationship, targets in
        let numbers = targets.map(String.init)
        if !relationship.isToMany { return numbers.first.map(Cell.number) ?? .null }
        return form == .csv
          ? .text(numbers.joined(separator: " ")) : .json("[" + numbers.joined(separator: ",") + "]")
      }
  }

  private static func line(_ cells: [String]) -> String {
    cells.map(RowPrinter.field).joined(separator: ",") + "\r\n"
  }
}
