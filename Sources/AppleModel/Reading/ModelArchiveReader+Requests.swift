import KeyedArchive
import ObjectModel
import ObjectQuery

extension ModelArchiveReader {
  /// What the editor calls the request of a fetched property.
  static let fetchedPropertyRequestName = "fetchedPropertyFetchRequest"
  /// With subentities and property values, as faults, with pending changes, not distinct.
  static let usualRequestFlags: Int64 = 30

  mutating func fetchedProperty(
    _ object: ArchivedObject, _ name: String, _ entity: String
  ) throws(KeyedArchiveError) -> FetchedProperty {
    var request = FetchRequestTemplate(Self.fetchedPropertyRequestName, entityName: "")
    if let archived = object["NSFetchRequest"].object {
      request = try self.request(archived, named: request.name, entity: entity, property: name)
    }
    if request.entityName.isEmpty { request.entityName = object["_NSFetchRequestEntityName"].text ?? "" }
    var property = FetchedProperty(name, request)
    property.userInfo = try userInfo(object, entity, name)
    if object["NSIsOptional"].flag == true { property.extras["optional"] = "YES" }
    if let identifier = renamingIdentifier(object, unless: name) {
      note(entity, name, "its renaming identifier \(identifier) is left out")
    }
    noteUnknownKeys(
      of: object, entity, name,
      [
        "_P", "NSEntity", "NSPropertyName", "NSRenamingIdentifier", "NSIsOptional", "NSIsTransient",
        "NSIsReadOnly", "NSUserInfo", "NSFetchRequest", "_NSFetchRequestEntityName",
      ])
    return property
  }

  mutating func request(
    _ object: ArchivedObject, named name: String, entity: String?, property: String
  ) throws(KeyedArchiveError) -> FetchRequestTemplate {
    try spend(1)
    let entityName = object["NSEntity"].object?["NSEntityName"].text ?? object["NSEntityName"].text ?? ""
    var request = FetchRequestTemplate(name, entityName: entityName)
    if !object["NSPredicate"].isNull {
      request.predicateString = try text(ofPredicate: object["NSPredicate"], entity, property)
    }
    if let limit = object["NSFetchLimit"].integer, limit > 0 { request.fetchLimit = Int(limit) }
    if let size = object["NSBatchSize"].integer, size > 0 { request.extras["fetchBatchSize"] = String(size) }
    if let type = object["NSResultType"].integer, type != 0 { request.extras["resultType"] = String(type) }
    try noteSortDescriptors(object, entity, property)
    if let flags = object["NSFetchRequestFlags"].integer, flags != Self.usualRequestFlags {
      note(entity, property, "the options \(flags) of its fetch request are not read")
    }
    if let offset = object["NSFetchOffset"].integer, offset != 0 {
      note(entity, property, "the offset \(offset) of its fetch request is left out")
    }
    noteUnknownKeys(
      of: object, entity, property,
      [
        "NSEntity", "NSEntityName", "NSPredicate", "NSFetchLimit", "NSBatchSize", "NSResultType",
        "NSSortDescriptors", "NSFetchRequestFlags", "NSHasFetchRequestFlags", "NSFetchOffset",
        "NSAllocationType",
      ])
    return request
  }

  /// A template of a model has no order.
  private mutating func noteSortDescriptors(
    _ object: ArchivedObject, _ entity: String?, _ property: String
  ) throws(KeyedArchiveError) {
    let descriptors = object["NSSortDescriptors"].object?.elements ?? []
    if descriptors.isEmpty { return }
    try spend(descriptors.count)
    let texts = descriptors.compactMap { value in
      value.object.flatMap { descriptor in
        descriptor["NSKey"].text.map { $0 + (descriptor["NSAscending"].flag == false ? " descending" : "") }
      }
    }
    note(entity, property, "the order of its fetch request, by \(texts.joined(separator: ", ")), is left out")
  }

  /// A predicate as format text; noted when the text cannot be read here.
  mutating func text(
    ofPredicate value: ArchivedValue, _ entity: String?, _ property: String
  ) throws(KeyedArchiveError) -> String {
    let text = try expressions.predicate(value).formatText
    do {
      _ = try FetchPredicate(format: text)
    } catch {
      note(
        entity, property, "its predicate is stored as text only, since it cannot be read: \(error.message)")
    }
    return text
  }
}
