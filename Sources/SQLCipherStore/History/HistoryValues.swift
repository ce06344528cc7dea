import Foundation
import ObjectModel
import StoreContract

/// The values before and after the changes of one transaction, where the model asks for them: JSON in its
/// row.
struct HistoryValues {
  /// By the index of the property.
  typealias Values = [Int: Recorded]

  enum Recorded: Codable, Equatable {
    case attribute(AttributeValue)
    case object(Int64?)
    case objects([Int64])
  }

  struct Record: Codable {
    let entity: Int64
    let reference: Int64
    var old: Values?
    var new: Values?
  }

  struct Key: Hashable {
    let entity: Int64
    let reference: Int64
  }

  private var places: [Key: Int] = [:]
  private var records: [Record] = []

  private mutating func place(_ key: Key) -> Int {
    if let known = places[key] { return known }
    records.append(Record(entity: key.entity, reference: key.reference))
    places[key] = records.count - 1
    return records.count - 1
  }

  mutating func add(old values: Values, of key: Key) {
    records[place(key)].old = (records[place(key)].old ?? [:]).merging(values) { first, _ in first }
  }

  mutating func add(new values: Values, of key: Key) {
    records[place(key)].new = (records[place(key)].new ?? [:]).merging(values) { $1 }
  }

  func encoded() throws -> [UInt8] {
    records.isEmpty ? [] : [UInt8](try JSONEncoder.sorted.encode(records))
  }

  /// The records of a row, by their objects.
  static func decoded(_ bytes: UnsafeRawBufferPointer, path: String) throws -> [Key: Record] {
    if bytes.isEmpty { return [:] }
    do {
      let records = try JSONDecoder().decode([Record].self, from: Data(bytes))
      return Dictionary(records.map { (Key(entity: $0.entity, reference: $0.reference), $0) }) { $1 }
    } catch is DecodingError {
      throw StoreError(
        .fileDamaged, "the history of the store at \(path) cannot be read; restore a copy")
    }
  }
}

extension HistoryValues.Recorded {
  init(_ field: Int, _ stored: StoredField, of node: IncrementalStoreNode) {
    switch stored {
    case .attribute(let attribute): self = .attribute(node.value(of: attribute))
    case .toOne: self = .object(node.reference(field))
    }
  }
}
