import ObjectModel
import StoreContract

/// The objects with texts that the server does not store: those with U+0000.
struct RefusedTexts {
  private static let mostNamed = 1000
  private static let mostShown = 5

  private var count = 0
  private var objectIDs: [ManagedObjectID] = []
  private var shown: [String] = []
  /// The text fields, by entity index.
  private var fields: [Int: [Int]] = [:]

  var isEmpty: Bool { count == 0 }

  /// Takes an object where one of its texts has it.
  /// - Returns: Whether one does.
  mutating func add(_ node: IncrementalStoreNode) -> Bool {
    let entity = node.entity
    if fields[entity.index] == nil {
      fields[entity.index] = entity.storedFields.indices.filter {
        if case .text = ServerType(entity.storedFields[$0]) { true } else { false }
      }
    }
    let field = fields[entity.index]?.first { node.withBytes($0) { $0.contains(0) } }
    guard let field else { return false }
    count += 1
    if objectIDs.count < Self.mostNamed { objectIDs.append(node.objectID) }
    if shown.count < Self.mostShown {
      shown.append("\(entity.name).\(entity.storedFields[field].name) of object \(node.reference)")
    }
    return true
  }

  /// - Throws: `invalidValue` with the objects.
  func check() throws {
    if isEmpty { return }
    let rest = count > shown.count ? " and \(count - shown.count) more" : ""
    throw StoreError(
      .invalidValue,
      "texts have the character U+0000, which PostgreSQL does not store: \(shown.joined(separator: ", "))"
        + "\(rest); remove it there, or make the attribute binary; nothing was made", objectIDs: objectIDs)
  }
}
