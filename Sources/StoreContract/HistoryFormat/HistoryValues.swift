import Foundation
package import ObjectModel

/// The values before and after the changes of one transaction, where the model asks for them: JSON in its
/// row.
package struct HistoryValues {
  /// By the index of the property.
  package typealias Values = [Int: Recorded]

  /// One value; the destinations of relationships by their numbers.
  package enum Recorded: Codable, Equatable {
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

  /// An object, by the number of its entity and its own.
  package struct Key: Hashable {
    package let entity: Int64
    package let reference: Int64

    package init(entity: Int64, reference: Int64) {
      self.entity = entity
      self.reference = reference
    }
  }

  private var places: [Key: Int] = [:]
  private var records: [Record] = []

  package init() {}

  private mutating func place(_ key: Key) -> Int {
    if let known = places[key] { return known }
    records.append(Record(entity: key.entity, reference: key.reference))
    places[key] = records.count - 1
    return records.count - 1
  }

  package mutating func add(old values: Values, of key: Key) {
    records[place(key)].old = (records[place(key)].old ?? [:]).merging(values) { first, _ in first }
  }

  package mutating func add(new values: Values, of key: Key) {
    records[place(key)].new = (records[place(key)].new ?? [:]).merging(values) { $1 }
  }

  package func encoded() throws -> [UInt8] {
    records.isEmpty ? [] : [UInt8](try JSONEncoder.sorted.encode(records))
  }

  /// The records of a row, by their objects.
  static func decoded(_ bytes: UnsafeRawBufferPointer, place: String) throws -> [Key: Record] {
    if bytes.isEmpty { return [:] }
    do {
      let records = try JSONDecoder().decode([Record].self, from: Data(bytes))
      return Dictionary(records.map { (Key(entity: $0.entity, reference: $0.reference), $0) }) { $1 }
    } catch is DecodingError {
      throw StoreError(.fileDamaged, "the history of \(place) cannot be read; restore a copy")
    }
  }
}

extension HistoryValues.Recorded {
  package init(_ field: Int, _ stored: StoredField, of node: IncrementalStoreNode) {
    switch stored {
    case .attribute(let attribute): self = .attribute(node.value(of: attribute))
    case .toOne: self = .object(node.reference(field))
    }
  }
}
