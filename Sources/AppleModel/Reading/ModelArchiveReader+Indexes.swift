import KeyedArchive
import ObjectModel

extension ModelArchiveReader {
  /// Reads fetch indexes, and the compound indexes of older models.
  ///
  /// The framework adds what follows from an attribute's mark for an index, and marks what has an
  /// index: such repetitions are left out.
  mutating func readIndexes(
    of object: ArchivedObject, _ parent: ArchivedObject?, into entity: inout Entity
  ) throws(KeyedArchiveError) {
    let inherited = try indexNames(parent)
    var indexes: [FetchIndex] = []
    for value in object["NSFetchIndexDescriptions"].object?.elements ?? [] {
      guard let index = value.object else { throw Self.lacking("NSFetchIndexDescriptions", object) }
      let read = try fetchIndex(index, entity.name)
      if !inherited.contains(read.name) { indexes.append(read) }
    }
    for number in entity.attributes.indices where entity.attributes[number].isIndexed {
      entity.attributes[number].isIndexed = Self.isMarkNeeded(entity.attributes[number].name, &indexes)
    }
    for number in entity.relationships.indices where entity.relationships[number].isIndexed {
      entity.relationships[number].isIndexed = Self.isMarkNeeded(entity.relationships[number].name, &indexes)
    }
    for names in try tuples(object["NSCompoundIndexes"], entity.name) {
      if indexes.contains(where: { $0.elements.map(\.propertyName) == names }) { continue }
      indexes.append(FetchIndex(names.joined(separator: "_"), names.map { FetchIndexElement($0) }))
    }
    entity.fetchIndexes = indexes
  }

  /// Whether the mark of a property for an index says more than the indexes do; removes the index
  /// that the framework made of the mark.
  private static func isMarkNeeded(_ name: String, _ indexes: inout [FetchIndex]) -> Bool {
    indexes.removeAll { $0 == FetchIndex(name, on: name) }
    return !indexes.contains { $0.elements.count == 1 && $0.elements[0].propertyName == name }
  }

  private mutating func indexNames(_ entity: ArchivedObject?) throws(KeyedArchiveError) -> Set<String> {
    let indexes = entity?["NSFetchIndexDescriptions"].object?.elements ?? []
    try spend(indexes.count)
    return Set(indexes.compactMap { $0.object?["NSIndexName"].text })
  }

  private mutating func fetchIndex(
    _ object: ArchivedObject, _ entity: String
  ) throws(KeyedArchiveError) -> FetchIndex {
    let name = try name("NSIndexName", object)
    let archived = object["NSIndexElements"].object?.elements ?? []
    try spend(archived.count)
    var index = FetchIndex(name, [])
    for value in archived {
      guard let element = value.object else { throw Self.lacking("NSIndexElements", object) }
      index.elements.append(try indexElement(element, entity, name))
    }
    if !object["NSPartialIndexPredicate"].isNull {
      index.partialPredicate = try text(ofPredicate: object["NSPartialIndexPredicate"], entity, name)
    }
    noteUnknownKeys(
      of: object, entity, name,
      ["NSIndexName", "NSIndexElements", "NSPartialIndexPredicate", "NSEntity"])
    return index
  }

  private mutating func indexElement(
    _ object: ArchivedObject, _ entity: String, _ index: String
  ) throws(KeyedArchiveError) -> FetchIndexElement {
    var element = FetchIndexElement(
      object["NSPropertyName"].text ?? "", ascending: object["NSAscending"].flag != false,
      rTree: object["NSFetchIndexElementType"].integer == 1)
    if object["NSPropertyName"].text == nil {
      element.propertyName = nil
      element.expression = try indexExpression(object)
      if element.expression == nil { note(entity, index, "an element of the index names nothing") }
    }
    noteUnknownKeys(
      of: object, entity, index,
      [
        "NSPropertyName", "NSAscending", "NSFetchIndexElementType", "NSFetchIndexDescription", "NSProperty",
        "NSExpression",
      ])
    return element
  }

  /// An element may be an expression, alone or in the description of one.
  private mutating func indexExpression(_ object: ArchivedObject) throws(KeyedArchiveError) -> String? {
    for key in ["NSPropertyName", "NSProperty", "NSExpression"] {
      guard let found = object[key].object else { continue }
      if let name = found["NSPropertyName"].text, !found.contains("NSExpression") { return name }
      let expression = found.contains("NSExpression") ? found["NSExpression"] : .object(found)
      return try expressions.expression(expression).formatText
    }
    return nil
  }

  mutating func constraints(
    _ object: ArchivedObject, _ parent: ArchivedObject?, _ entity: String
  ) throws(KeyedArchiveError) -> [UniquenessConstraint] {
    let inherited = Set(try tuples(parent?["NSUniqueTuples"] ?? .null, entity))
    return try tuples(object["NSUniqueTuples"], entity).filter { !inherited.contains($0) }
      .map { UniquenessConstraint($0) }
  }

  /// Lists of names of properties; those that hold anything else are noted.
  private mutating func tuples(
    _ value: ArchivedValue, _ entity: String
  ) throws(KeyedArchiveError) -> [[String]] {
    var tuples: [[String]] = []
    for tuple in value.object?.elements ?? [] {
      let elements = tuple.object?.elements ?? [tuple]
      try spend(elements.count)
      let names = elements.compactMap { $0.text ?? $0.object?["NSPropertyName"].text }
      if names.count == elements.count, !names.isEmpty {
        tuples.append(names)
      } else {
        note(entity, nil, "an index or uniqueness constraint over an expression is left out")
      }
    }
    return tuples
  }
}
