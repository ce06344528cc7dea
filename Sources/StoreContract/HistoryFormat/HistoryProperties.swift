package import ObjectModel

/// The names that the properties of entities had while transactions were written, so that an update says
/// which were changed after the model has other ones.
///
/// One list for each version of the model; a transaction has the number of its list.
package struct HistoryProperties: Codable, Equatable, Sendable {
  /// By the entity's number, the names by the properties' index.
  package typealias Names = [Int64: [String]]

  package private(set) var versions: [Names] = []
  /// By the number of a list that a migration changed, the names with which its transactions were written.
  private var written: [Int: Names]?

  package init() {}

  /// The names of a list; none for a number that no list has.
  package func names(_ number: Int64) -> Names {
    Int(exactly: number).flatMap { versions.indices.contains($0) ? versions[$0] : nil } ?? [:]
  }

  /// The names with which the transactions of a list were written; nil where they are those that it has.
  package func writtenNames(_ number: Int64) -> Names? { Int(exactly: number).flatMap { written?[$0] } }

  /// The greatest number of an entity that transactions may name, also of one that the model has no more.
  package var lastEntity: Int64 { versions.lazy.flatMap(\.keys).max() ?? 0 }

  /// The number of a model's list; nil where it has none yet.
  ///
  /// One that a migration changed has transactions that were written with other names.
  package func number(of model: ManagedObjectModel, _ numbers: (EntityDescription) -> Int64) -> Int? {
    let names = Self.names(model, numbers)
    return versions.indices.last { versions[$0] == names && written?[$0] == nil }
  }

  /// Adds a model's list, and returns its number.
  package mutating func add(_ model: ManagedObjectModel, _ numbers: (EntityDescription) -> Int64) -> Int {
    versions.append(Self.names(model, numbers))
    return versions.count - 1
  }

  /// Takes over the names of the properties that a migration renames.
  package mutating func rename(by mapping: ModelMapping, _ numbers: (EntityDescription) -> Int64) {
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

  private static func names(_ model: ManagedObjectModel, _ numbers: (EntityDescription) -> Int64) -> Names {
    Dictionary(
      uniqueKeysWithValues: model.entities.map { entity in
        var names = [String](repeating: "", count: (entity.properties.map(\.index).max() ?? -1) + 1)
        for property in entity.properties { names[property.index] = property.name }
        return (numbers(entity), names)
      })
  }
}
