import Foundation
import ObjectModel
import StoreContract

/// The names that the properties of entities had while transactions were written, so that an update says
/// which were changed after the model has other ones.
///
/// One list for each version of the model; a transaction has the number of its list.
struct HistoryProperties: Codable, Equatable {
  private static let key = "history_properties"

  /// By the entity's number, the names by the properties' index.
  typealias Names = [Int64: [String]]

  private(set) var versions: [Names] = []
  /// By the number of a list that a migration changed, the names with which its transactions were written.
  private var written: [Int: Names]?

  static func read(_ table: StoreTable) throws -> HistoryProperties {
    guard let text = try table.read(key) else { return HistoryProperties() }
    do {
      return try JSONDecoder().decode(HistoryProperties.self, from: Data(text.utf8))
    } catch is DecodingError {
      throw StoreError(.fileDamaged, "the history of the store cannot be read; restore a copy")
    }
  }

  func write(_ table: StoreTable) throws {
    try table.write(Self.key, String(decoding: JSONEncoder.sorted.encode(self), as: UTF8.self))
  }

  /// The names of a list; none for a number that no list has.
  func names(_ number: Int64) -> Names {
    Int(exactly: number).flatMap { versions.indices.contains($0) ? versions[$0] : nil } ?? [:]
  }

  /// The names with which the transactions of a list were written; nil where they are those that it has.
  func writtenNames(_ number: Int64) -> Names? { Int(exactly: number).flatMap { written?[$0] } }

  /// The greatest number of an entity that transactions may name, also of one that the model has no more.
  var lastEntity: Int64 { versions.lazy.flatMap(\.keys).max() ?? 0 }

  /// The number of a model's list; nil where it has none yet.
  ///
  /// One that a migration changed has transactions that were written with other names.
  func number(of schema: StoreSchema) -> Int? {
    let names = Self.names(schema)
    return versions.indices.last { versions[$0] == names && written?[$0] == nil }
  }

  /// Adds a model's list, and returns its number.
  mutating func add(_ schema: StoreSchema) -> Int {
    versions.append(Self.names(schema))
    return versions.count - 1
  }

  /// Takes over the names of the properties that a migration renames.
  ///
  /// One statement, two where there is a history.
  static func rename(by mapping: ModelMapping, _ old: StoreSchema, _ table: StoreTable) throws {
    var properties = try read(table)
    if properties.versions.isEmpty { return }
    properties.rename(by: mapping) { old.entityNumbers[$0.index] }
    try properties.write(table)
  }

  private mutating func rename(by mapping: ModelMapping, _ numbers: (EntityDescription) -> Int64) {
    let former = versions
    for pair in mapping.entities.values {
      var renamed: [String: String] = [:]
      for attribute in pair.new.attributes {
        if let old = pair.attributes[attribute.index] { renamed[old.name] = attribute.name }
      }
      for relationship in pair.new.relationships {
        if let old = pair.relationships[relationship.index] { renamed[old.name] = relationship.name }
      }
      let number = numbers(pair.old)
      for version in versions.indices {
        versions[version][number] = versions[version][number]?.map { renamed[$0] ?? "" }
      }
    }
    for version in versions.indices where versions[version] != former[version] {
      var names = written ?? [:]
      names[version] = names[version] ?? former[version]
      written = names
    }
  }

  private static func names(_ schema: StoreSchema) -> Names {
    Dictionary(
      uniqueKeysWithValues: schema.model.entities.map { entity in
        var names = [String](repeating: "", count: (entity.properties.map(\.index).max() ?? -1) + 1)
        for property in entity.properties { names[property.index] = property.name }
        return (schema.entityNumbers[entity.index], names)
      })
  }
}
