import Foundation
import KeyedArchive
import ObjectModel
import ObjectQuery

extension ModelArchiveWriter {
  static func classNames(of attribute: Attribute) -> [String] {
    let base = ["NSAttributeDescription", "NSPropertyDescription", "NSObject"]
    if attribute.type == .composite { return ["NSCompositeAttributeDescription"] + base }
    return attribute.derivationExpression == nil ? base : ["NSDerivedAttributeDescription"] + base
  }

  private static let types: [AttributeType: (number: Int64, className: String?)] = [
    .undefined: (0, nil), .integer16: (100, "NSNumber"), .integer32: (200, "NSNumber"),
    .integer64: (300, "NSNumber"), .decimal: (400, "NSDecimalNumber"), .double: (500, "NSNumber"),
    .float: (600, "NSNumber"), .string: (700, "NSString"), .boolean: (800, "NSNumber"),
    .date: (900, "NSDate"),
    .binary: (1000, "NSData"), .uuid: (1100, "NSUUID"), .uri: (1200, "NSURL"), .transformable: (1800, nil),
    .objectID: (2000, nil), .composite: (2100, "NSDictionary"),
  ]

  /// The marks of a property that an archive has a second time as bits.
  private struct PropertyMarks {
    var isOptional = false
    var isReadOnly = false
    var isTransient = false
    var isOrdered = false
    var isIndexed = false
    var isValidated = false
    var hasUserInfo = false
    var hasModifier = false

    var bits: Int64 {
      var bits: Int64 = 0x01
      if isOptional { bits |= 0x02 }
      if isReadOnly { bits |= 0x04 }
      if isTransient { bits |= 0x08 }
      if !isValidated { bits |= 0x30 }
      if !hasUserInfo { bits |= 0x40 }
      if !hasModifier { bits |= 0x80 }
      if isOrdered { bits |= 0x400 }
      return bits
    }

    /// An archive has only the marks that are set.
    var values: [String: KeyedArchiveWriter.Value] {
      var values: [String: KeyedArchiveWriter.Value] = ["_P": .integer(bits)]
      let named = [
        ("NSIsOptional", isOptional), ("NSIsReadOnly", isReadOnly), ("NSIsTransient", isTransient),
        ("NSIsOrdered", isOrdered), ("NSIsIndexed", isIndexed),
      ]
      for (key, flag) in named where flag { values[key] = .boolean(true) }
      return values
    }
  }

  private mutating func set(
    _ values: [String: Value], _ marks: PropertyMarks, _ name: String, _ entity: EntityDescription,
    of reference: Reference
  ) {
    var all = values.merging(marks.values) { own, _ in own }
    all["NSPropertyName"] = writer.text(name)
    all["NSEntity"] = .reference(entities[entity.name] ?? .null)
    for (key, value) in all.sorted(by: { $0.key < $1.key }) { writer.set(value, forKey: key, of: reference) }
  }

  // MARK: Attributes

  mutating func write(
    _ attribute: Attribute, as reference: Reference, _ entity: EntityDescription, _ path: [String]
  ) throws(KeyedArchiveError) {
    let type = Self.types[attribute.type] ?? (0, nil)
    let className = attribute.type == .transformable ? attribute.attributeValueClassName : type.className
    let flags =
      (attribute.allowsExternalBinaryDataStorage ? 4 : 0)
      + (attribute.preservesValueInHistoryOnDeletion ? 16 : 0)
    var values: [String: Value] = [
      "NSAttributeType": .integer(type.number), "NSAttributeValueClassName": optionalText(className),
      "NSValueTransformerName": optionalText(attribute.valueTransformerName),
      "NSFlagsKey": .integer(Int64(flags)),
      "NSRenamingIdentifier": writer.text(attribute.renamingIdentifier ?? attribute.name),
      "NSDefaultValue": .reference(.null),
    ]
    if let value = attribute.defaultValue, !value.isNull {
      values["NSDefaultValue"] = .reference(try writer.add(FoundationValue(value)))
    }
    if let modifier = attribute.versionHashModifier {
      values["NSVersionHashModifier"] = writer.text(modifier)
    }
    if !attribute.userInfo.isEmpty { values["NSUserInfo"] = userInfo(attribute.userInfo) }
    let validation = try validation(of: attribute)
    values.merge(validation) { own, _ in own }
    if attribute.type == .composite {
      values["NSCompositeElements"] = .reference(array(try elements(of: attribute, entity, path)))
    }
    if let text = attribute.derivationExpression {
      values["NSDerivationExpression"] = .reference(try derivation(text, entity, path))
      values["NSFilteringPredicate"] = .reference(.null)
    }
    let marks = PropertyMarks(
      isOptional: attribute.isOptional, isReadOnly: attribute.derivationExpression != nil,
      isTransient: attribute.isTransient, isIndexed: attribute.isIndexed, isValidated: !validation.isEmpty,
      hasUserInfo: !attribute.userInfo.isEmpty, hasModifier: attribute.versionHashModifier != nil)
    set(values, marks, attribute.name, entity, of: reference)
  }

  private mutating func elements(
    of attribute: Attribute, _ entity: EntityDescription, _ path: [String]
  ) throws(KeyedArchiveError) -> [Reference] {
    let composite = model.declaration.composites.first { $0.name == attribute.compositeName }
    var references: [Reference] = []
    for element in composite?.attributes ?? [] {
      let reference = writer.addObject(Self.classNames(of: element))
      try write(element, as: reference, entity, path + [element.name])
      references.append(reference)
    }
    return references
  }

  /// The numbers are those of the errors that Core Data reports.
  private mutating func validation(of attribute: Attribute) throws(KeyedArchiveError) -> [String: Value] {
    let isText = attribute.type == .string
    let subject: ArchivedExpression = isText ? .keyPath(.selfObject, "length") : .selfObject
    let (tooSmall, tooLarge): (Int64, Int64) =
      isText ? (1670, 1660) : attribute.type == .date ? (1640, 1630) : (1620, 1610)
    var rules: [(ArchivedComparison, Int64)] = []
    if let least = attribute.minValue {
      rules.append(
        (ArchivedComparison(subject, .greaterOrEqual, .constant(try FoundationValue(least))), tooSmall))
    }
    if let greatest = attribute.maxValue {
      rules.append(
        (ArchivedComparison(subject, .lessOrEqual, .constant(try FoundationValue(greatest))), tooLarge))
    }
    if let pattern = attribute.regularExpression {
      rules.append((ArchivedComparison(.selfObject, .matches, .constant(.string(pattern))), 1680))
    }
    if rules.isEmpty { return [:] }
    var predicates: [Reference] = []
    var warnings: [Reference] = []
    for (rule, number) in rules {
      predicates.append(try ArchivedPredicate.comparison(rule).add(to: &writer))
      warnings.append(try writer.add(.integer(number)))
    }
    return [
      "NSValidationPredicates": .reference(array(predicates)),
      "NSValidationWarnings": .reference(array(warnings)),
    ]
  }

  /// The text of a model file as an expression: `now()`, `canonical:(name)`, or a key path.
  private mutating func derivation(
    _ text: String, _ entity: EntityDescription, _ path: [String]
  ) throws(KeyedArchiveError) -> Reference {
    let plain = text.filter { !$0.isWhitespace }
    if plain == "now()" { return try ArchivedExpression.function(nil, "now", []).add(to: &writer) }
    if let call = plain.wholeMatch(of: /([A-Za-z]+:)\(([^()]+)\)/) {
      let argument = ArchivedExpression.keyPath(.selfObject, String(call.2))
      return try ArchivedExpression.function(nil, String(call.1), [argument]).add(to: &writer)
    }
    if plain.contains("(") {
      note(
        entity.name, path.joined(separator: "."), "its derivation \(text) cannot be archived; it is left out")
      return .null
    }
    return try ArchivedExpression.keyPath(.selfObject, plain).add(to: &writer)
  }

  // MARK: Relationships

  mutating func write(
    _ relationship: RelationshipDescription, as reference: Reference, _ entity: EntityDescription
  ) {
    let declaration = relationship.declaration
    let rules: [DeleteRule: Int64] = [.noAction: 0, .nullify: 1, .cascade: 2, .deny: 3]
    let destination = relationship.destination.name
    let inverse = declaration.inverseName
    var values: [String: Value] = [
      "NSDestinationEntity": .reference(entities[destination] ?? .null),
      "_NSDestinationEntityName": writer.text(destination),
      "NSInverseRelationship": .reference(inverse.flatMap { properties[destination]?[$0] } ?? .null),
      "_NSInverseRelationshipName": optionalText(inverse),
      "NSDeleteRule": .integer(rules[declaration.deleteRule] ?? 1),
      "NSMaxCount": .integer(declaration.isToMany ? Int64(declaration.maxCount) : 1),
      "NSMinCount": .integer(Int64(declaration.minCount)),
      "NSRenamingIdentifier": writer.text(declaration.renamingIdentifier ?? declaration.name),
    ]
    if declaration.isToMany, declaration.maxCount == 1 {
      note(entity.name, declaration.name, "a to-many of at most one object is a to-one in an archive")
    }
    if let modifier = declaration.versionHashModifier {
      values["NSVersionHashModifier"] = writer.text(modifier)
    }
    if !declaration.userInfo.isEmpty { values["NSUserInfo"] = userInfo(declaration.userInfo) }
    let marks = PropertyMarks(
      isOptional: declaration.isOptional, isTransient: declaration.isTransient,
      isOrdered: declaration.isOrdered,
      isIndexed: declaration.isIndexed, hasUserInfo: !declaration.userInfo.isEmpty,
      hasModifier: declaration.versionHashModifier != nil)
    set(values, marks, declaration.name, entity, of: reference)
  }

  // MARK: Fetched properties

  mutating func write(
    _ property: FetchedProperty, of entity: EntityDescription
  ) throws(KeyedArchiveError) {
    guard let reference = properties[entity.name]?[property.name] else { return }
    var values: [String: Value] = [
      "NSFetchRequest": .reference(try request(property.fetchRequest, entity.name, property.name)),
      "_NSFetchRequestEntityName": writer.text(property.fetchRequest.entityName),
      "NSRenamingIdentifier": writer.text(property.name),
    ]
    if !property.userInfo.isEmpty { values["NSUserInfo"] = userInfo(property.userInfo) }
    let marks = PropertyMarks(
      isOptional: property.extras["optional"] == "YES", isReadOnly: true, isTransient: true,
      hasUserInfo: !property.userInfo.isEmpty)
    set(values, marks, property.name, entity, of: reference)
  }
}
