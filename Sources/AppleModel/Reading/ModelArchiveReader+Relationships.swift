import KeyedArchive
import ObjectModel

extension ModelArchiveReader {
  private static let deleteRules: [Int64: DeleteRule] = [0: .noAction, 1: .nullify, 2: .cascade, 3: .deny]

  private static let knownRelationshipKeys: Set<String> = [
    "_P", "NSEntity", "NSPropertyName", "NSRenamingIdentifier", "NSIsOptional", "NSIsTransient",
    "NSIsIndexed",
    "NSIsOrdered", "NSUserInfo", "NSVersionHashModifier", "NSDestinationEntity", "_NSDestinationEntityName",
    "NSInverseRelationship", "_NSInverseRelationshipName", "NSDeleteRule", "NSMaxCount", "NSMinCount",
  ]

  mutating func relationship(
    _ object: ArchivedObject, _ name: String, _ entity: String
  ) throws(KeyedArchiveError) -> Relationship {
    let destination =
      object["NSDestinationEntity"].object?["NSEntityName"].text ?? object["_NSDestinationEntityName"].text
      ?? ""
    let maxCount = object["NSMaxCount"].integer ?? 0
    var relationship =
      maxCount == 1 ? Relationship(name, to: destination) : Relationship(name, toMany: destination)
    // A greatest count below nothing is none.
    relationship.maxCount = Int(clamping: max(0, maxCount))
    relationship.minCount = Int(clamping: max(0, object["NSMinCount"].integer ?? 0))
    relationship.isOptional = object["NSIsOptional"].flag == true
    relationship.isTransient = object["NSIsTransient"].flag == true
    relationship.isOrdered = object["NSIsOrdered"].flag == true
    relationship.isIndexed = object["NSIsIndexed"].flag == true
    relationship.inverseName =
      object["NSInverseRelationship"].object?["NSPropertyName"].text
      ?? object["_NSInverseRelationshipName"].text
    relationship.inverseEntityName = relationship.inverseName == nil ? nil : destination
    relationship.renamingIdentifier = renamingIdentifier(object, unless: name)
    relationship.versionHashModifier = object["NSVersionHashModifier"].text
    relationship.userInfo = try userInfo(object, entity, name)
    let rule = object["NSDeleteRule"].integer ?? 1
    if let known = Self.deleteRules[rule] {
      relationship.deleteRule = known
    } else {
      note(entity, name, "its delete rule \(rule) is not known; it is nullify")
    }
    noteUnknownKeys(of: object, entity, name, Self.knownRelationshipKeys.union(Self.validationKeys(object)))
    return relationship
  }

  /// Validation predicates of relationships say again what their counts say.
  private static func validationKeys(_ object: ArchivedObject) -> Set<String> {
    object["NSValidationPredicates"].object?.elements?.isEmpty == false
      ? [] : ["NSValidationPredicates", "NSValidationWarnings"]
  }
}
