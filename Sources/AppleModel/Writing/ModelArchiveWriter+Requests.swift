import KeyedArchive
import ObjectModel

extension ModelArchiveWriter {
  mutating func request(
    _ request: FetchRequestTemplate, _ entity: String?, _ property: String
  ) throws(KeyedArchiveError) -> Reference {
    let predicate = try predicate(request.predicateString, entity, property)
    let null = Value.reference(.null)
    return writer.addObject(
      ["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"],
      [
        "NSEntity": .reference(entities[request.entityName] ?? .null), "NSPredicate": predicate,
        "NSFetchLimit": .integer(Int64(request.fetchLimit ?? 0)), "NSFetchOffset": .integer(0),
        "NSBatchSize": .integer(request.extras["fetchBatchSize"].flatMap { Int64($0) } ?? 0),
        "NSResultType": .integer(request.extras["resultType"].flatMap { Int64($0) } ?? 0),
        "NSHasFetchRequestFlags": .boolean(true),
        "NSFetchRequestFlags": .integer(ModelArchiveReader.usualRequestFlags),
        "NSAllocationType": .integer(0),
        "NSSortDescriptors": null, "NSValuesToFetch": null, "NSValuesToGroupBy": null,
        "NSHavingPredicate": null,
        "NSRelationshipKeyPathsForPrefetching": null,
      ])
  }

  /// The fetch indexes of an entity, and those that the framework makes of properties marked for one.
  mutating func indexes(
    of entity: EntityDescription, _ reference: Reference
  ) throws(KeyedArchiveError) -> [Reference] {
    let declaration = entity.declaration
    let marked =
      declaration.attributes.filter(\.isIndexed).map(\.name)
      + declaration.relationships.filter(\.isIndexed).map(\.name)
    var references: [Reference] = []
    for index in marked.map({ FetchIndex($0, on: $0) }) + declaration.fetchIndexes {
      guard index.elements.allSatisfy({ $0.propertyName != nil && !$0.isFullText }) else {
        note(entity.name, index.name, "an index of words or of an expression has no place in an archive")
        continue
      }
      references.append(try self.index(index, of: entity, reference))
    }
    return references
  }

  private mutating func index(
    _ index: FetchIndex, of entity: EntityDescription, _ reference: Reference
  ) throws(KeyedArchiveError) -> Reference {
    let result = writer.addObject(["NSFetchIndexDescription", "NSObject"])
    let elements = index.elements.map { element in
      writer.addObject(
        ["NSFetchIndexElementDescription", "NSObject"],
        [
          "NSPropertyName": writer.text(element.propertyName ?? ""),
          "NSAscending": .boolean(element.isAscending),
          "NSFetchIndexElementType": .integer(element.isRTree ? 1 : 0),
          "NSFetchIndexDescription": .reference(result),
        ])
    }
    writer.set(writer.text(index.name), forKey: "NSIndexName", of: result)
    writer.set(
      try predicate(index.partialPredicate, entity.name, index.name), forKey: "NSPartialIndexPredicate",
      of: result)
    writer.set(.reference(array(elements)), forKey: "NSIndexElements", of: result)
    writer.set(.reference(reference), forKey: "NSEntity", of: result)
    return result
  }
}
