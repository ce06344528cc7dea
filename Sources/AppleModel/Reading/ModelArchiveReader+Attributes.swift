import Foundation
import KeyedArchive
import ObjectModel

/// Where an attribute, or an element of a composite, is.
struct AttributePath {
  let entity: String
  let names: [String]

  var property: String { names.joined(separator: ".") }

  func element(_ name: String) -> AttributePath { AttributePath(entity: entity, names: names + [name]) }
}

extension ModelArchiveReader {
  private static let types: [Int64: AttributeType] = [
    0: .undefined, 100: .integer16, 200: .integer32, 300: .integer64, 400: .decimal, 500: .double,
    600: .float,
    700: .string, 800: .boolean, 900: .date, 1000: .binary, 1100: .uuid, 1200: .uri, 1800: .transformable,
    2000: .objectID, 2100: .composite,
  ]
  private static let externalStorageFlag: Int64 = 4
  private static let preservationFlag: Int64 = 16
  private static let deepestComposite = 32
  /// The bytes of text that count as one part: names are shared, and their paths are not.
  private static let textPart = 64

  private static let knownKeys: Set<String> = [
    "_P", "NSEntity", "NSPropertyName", "NSRenamingIdentifier", "NSIsOptional", "NSIsTransient",
    "NSIsReadOnly",
    "NSIsIndexed", "NSUserInfo", "NSVersionHashModifier", "NSValidationPredicates", "NSValidationWarnings",
    "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue", "NSValueTransformerName", "NSFlagsKey",
    "NSCompositeElements", "NSDerivationExpression", "NSFilteringPredicate",
  ]

  mutating func attribute(
    _ object: ArchivedObject, _ path: AttributePath
  ) throws(KeyedArchiveError) -> Attribute {
    try countAttribute()
    let name = path.names.last ?? ""
    let number = object["NSAttributeType"].integer ?? 0
    var attribute = Attribute(
      name, Self.types[number] ?? .undefined, optional: object["NSIsOptional"].flag == true,
      transient: object["NSIsTransient"].flag == true, indexed: object["NSIsIndexed"].flag == true)
    if Self.types[number] == nil {
      note(path.entity, path.property, "its type \(number) is not known; it has no type")
    }
    attribute.renamingIdentifier = renamingIdentifier(object, unless: name)
    attribute.versionHashModifier = object["NSVersionHashModifier"].text
    var attributeFacts = AppleModelFacts.Attribute(valueClassName: object["NSAttributeValueClassName"].text)
    attribute.valueTransformerName = object["NSValueTransformerName"].text
    if attribute.type == .transformable {
      attribute.attributeValueClassName = attributeFacts.valueClassName
    }
    readFlags(object, path, into: &attribute)
    if attribute.type == .composite {
      try readElements(object, path, into: &attribute, &attributeFacts)
    }
    if let cases = enumerationCases(object) {
      attributeFacts.enumerationCases = cases
    } else {
      attribute.userInfo = try userInfo(object, path.entity, path.property)
    }
    facts.attributes[path.entity, default: [:]][path.property] = attributeFacts
    try readDefault(object, path, into: &attribute)
    try readDerivation(object, path, into: &attribute)
    try readValidation(object, path, into: &attribute)
    noteUnknownKeys(of: object, path.entity, path.property, Self.knownKeys)
    return attribute
  }

  private mutating func readFlags(
    _ object: ArchivedObject, _ path: AttributePath, into attribute: inout Attribute
  ) {
    let flags = object["NSFlagsKey"].integer ?? 0
    attribute.allowsExternalBinaryDataStorage = flags & Self.externalStorageFlag != 0
    attribute.preservesValueInHistoryOnDeletion = flags & Self.preservationFlag != 0
    let others = flags & ~(Self.externalStorageFlag | Self.preservationFlag)
    if others != 0 { note(path.entity, path.property, "its flags \(others) are not read") }
  }

  // MARK: Composites

  /// An archive has the elements inside the attribute: the composite is called after its path.
  private mutating func readElements(
    _ object: ArchivedObject, _ path: AttributePath, into attribute: inout Attribute,
    _ attributeFacts: inout AppleModelFacts.Attribute
  ) throws(KeyedArchiveError) {
    guard path.names.count <= Self.deepestComposite else {
      throw KeyedArchiveError(
        .tooDeep,
        "composites of \(path.entity) are nested more than \(Self.deepestComposite) levels deep; use"
          + " another copy")
    }
    let name = try freeName([path.entity] + path.names)
    compositeNames.append(name)
    var names: Set<String> = []
    var elements: [Attribute] = []
    for value in object["NSCompositeElements"].object?.elements ?? [] {
      guard let element = value.object, element.isKind(of: "NSAttributeDescription") else {
        throw Self.lacking("NSCompositeElements", object)
      }
      let elementName = try self.name("NSPropertyName", element)
      guard names.insert(elementName).inserted else { throw Self.lacking("NSCompositeElements", object) }
      elements.append(try self.attribute(element, path.element(elementName)))
    }
    composites[name] = Composite(name, elements)
    attributeFacts.elementNames = elements.map(\.name)
    attribute.compositeName = name
  }

  /// `TaskSchedule` of `Task` and `schedule`, with a number where that name is taken.
  private mutating func freeName(_ parts: [String]) throws(KeyedArchiveError) -> String {
    let base = parts.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    try spend(base.utf8.count / Self.textPart)
    var name = base
    while !takenNames.insert(name).inserted {
      nameNumbers[base, default: 1] += 1
      name = base + String(nameNumbers[base] ?? 2)
    }
    return name
  }

  /// SwiftData notes in the user info of a composite that it stands for an enumeration.
  private func enumerationCases(_ object: ArchivedObject) -> [String]? {
    guard let entries = object["NSUserInfo"].object?.entries, entries.count == 2,
      entries.contains(where: { $0.key.text == "EnumType" }),
      let cases = entries.first(where: { $0.key.text == "enum" })?.value.object?.elements
    else { return nil }
    return cases.compactMap(\.text)
  }

  // MARK: Defaults

  private mutating func readDefault(
    _ object: ArchivedObject, _ path: AttributePath, into attribute: inout Attribute
  ) throws(KeyedArchiveError) {
    let archived = object["NSDefaultValue"]
    if archived.isNull { return }
    let value = try values.read(archived)
    if let value = ArchivedAttributeValue(composites: composites).value(value, of: attribute) {
      attribute.defaultValue = value
    } else if case .unknown(let className) = value {
      note(path.entity, path.property, "its default is an object of the class \(className); it is left out")
    } else {
      note(path.entity, path.property, "its default is no \(attribute.type.rawValue); it is left out")
    }
  }

  // MARK: Derived attributes

  private mutating func readDerivation(
    _ object: ArchivedObject, _ path: AttributePath, into attribute: inout Attribute
  ) throws(KeyedArchiveError) {
    guard object.isKind(of: "NSDerivedAttributeDescription") else { return }
    attribute.extras["derived"] = "YES"
    if !object["NSDerivationExpression"].isNull {
      attribute.derivationExpression = try expressions.expression(object["NSDerivationExpression"])
        .derivationText
    }
    if !object["NSFilteringPredicate"].isNull {
      let filter = try expressions.predicate(object["NSFilteringPredicate"]).formatText
      note(path.entity, path.property, "its derivation counts only where \(filter); the filter is left out")
    }
  }
}
