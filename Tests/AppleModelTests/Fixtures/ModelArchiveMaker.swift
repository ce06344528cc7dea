import Foundation
import KeyedArchive

/// Lays models out in an archive as Core Data does, with whatever keys a test wants.
struct ModelArchiveMaker {
  typealias Reference = KeyedArchiveWriter.Reference
  typealias Value = KeyedArchiveWriter.Value

  var writer = KeyedArchiveWriter()

  mutating func text(_ text: String) -> Value { .reference(writer.addString(text)) }

  mutating func constant(_ value: FoundationValue) throws -> Value { .reference(try writer.add(value)) }

  mutating func object(_ className: String, _ parents: [String] = [], _ values: [String: Value]) -> Reference
  {
    writer.addObject([className] + parents + ["NSObject"], values)
  }

  mutating func array(_ elements: [Reference]) -> Value {
    .reference(object("NSArray", [], ["NS.objects": .references(elements)]))
  }

  mutating func texts(_ texts: [String]) -> Value { array(texts.map { writer.addString($0) }) }

  mutating func dictionary(_ entries: [(String, Reference)]) -> Value {
    let keys = entries.map { writer.addString($0.0) }
    return .reference(
      object(
        "NSMutableDictionary", ["NSDictionary"],
        ["NS.keys": .references(keys), "NS.objects": .references(entries.map(\.1))]))
  }

  mutating func attribute(
    _ name: String, _ type: Int64, _ values: [String: Value] = [:],
    className: String = "NSAttributeDescription"
  ) -> (String, Reference) {
    let common: [String: Value] = [
      "NSPropertyName": text(name), "NSRenamingIdentifier": text(name), "NSAttributeType": .integer(type),
      "NSFlagsKey": .integer(0), "_P": .integer(241),
    ]
    let parents = className == "NSAttributeDescription" ? [] : ["NSAttributeDescription"]
    return (
      name, object(className, parents + ["NSPropertyDescription"], common.merging(values) { _, own in own })
    )
  }

  mutating func relationship(
    _ name: String, to destination: String, _ values: [String: Value] = [:]
  ) -> (String, Reference) {
    let common: [String: Value] = [
      "NSPropertyName": text(name), "NSRenamingIdentifier": text(name),
      "_NSDestinationEntityName": text(destination), "NSDeleteRule": .integer(1), "NSMaxCount": .integer(1),
      "NSMinCount": .integer(0),
    ]
    return (
      name,
      object(
        "NSRelationshipDescription", ["NSPropertyDescription"], common.merging(values) { _, own in own })
    )
  }

  mutating func entity(
    _ name: String, _ properties: [(String, Reference)], _ values: [String: Value] = [:]
  ) -> (String, Reference) {
    let common: [String: Value] = [
      "NSEntityName": text(name), "NSRenamingIdentifier": text(name), "NSProperties": dictionary(properties),
    ]
    return (name, object("NSEntityDescription", [], common.merging(values) { _, own in own }))
  }

  mutating func archive(_ entities: [(String, Reference)], _ values: [String: Value] = [:]) throws -> Data {
    let model = object(
      "NSManagedObjectModel", [],
      ["NSEntities": dictionary(entities)].merging(values) { _, own in own })
    return try writer.data(root: model)
  }
}

/// Expressions and predicates.
extension ModelArchiveMaker {
  mutating func expression(_ className: String, _ type: Int64, _ values: [String: Value] = [:]) -> Reference {
    object(
      className, ["NSExpression"], values.merging(["NSExpressionType": .integer(type)]) { own, _ in own })
  }

  mutating func selfObject() -> Reference { expression("NSSelfExpression", 1) }

  mutating func variable(_ name: String) -> Reference {
    expression("NSVariableExpression", 2, ["NSVariable": text(name)])
  }

  mutating func constantExpression(_ value: FoundationValue) throws -> Reference {
    expression("NSConstantValueExpression", 0, ["NSConstantValue": try constant(value)])
  }

  mutating func keyPath(_ path: String, of operand: Reference? = nil) -> Reference {
    let specifier = expression("NSKeyPathSpecifierExpression", 10, ["NSKeyPath": text(path)])
    return expression(
      "NSKeyPathExpression", 3,
      [
        "NSOperand": .reference(operand ?? selfObject()), "NSSelectorName": text("valueForKeyPath:"),
        "NSArguments": array([specifier]),
      ])
  }

  /// A function of Foundation's own, unless there is a target.
  mutating func function(_ selector: String, _ arguments: [Reference], of target: Reference? = nil)
    -> Reference
  {
    let own = expression(
      "NSConstantValueExpression", 0, ["NSConstantValueClassName": text("_NSPredicateUtilities")])
    return expression(
      "NSFunctionExpression", 4,
      [
        "NSOperand": .reference(target ?? own), "NSSelectorName": text(selector),
        "NSArguments": array(arguments),
      ])
  }

  mutating func comparison(
    _ left: Reference, _ type: Int64, _ right: Reference, modifier: Int64 = 0,
    operatorClass: String = "NSComparisonPredicateOperator", _ values: [String: Value] = [:]
  ) -> Reference {
    let archived = object(
      operatorClass, ["NSPredicateOperator"],
      ["NSOperatorType": .integer(type), "NSModifier": .integer(modifier)].merging(values) { own, _ in own })
    return object(
      "NSComparisonPredicate", ["NSPredicate"],
      [
        "NSLeftExpression": .reference(left), "NSRightExpression": .reference(right),
        "NSPredicateOperator": .reference(archived),
      ])
  }

  mutating func compound(_ type: Int64, _ parts: [Reference]) -> Reference {
    object(
      "NSCompoundPredicate", ["NSPredicate"],
      ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": array(parts)])
  }
}
