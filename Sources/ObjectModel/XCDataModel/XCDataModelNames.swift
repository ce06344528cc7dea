import Foundation

/// The words of the model file.
enum XCDataModelNames {
  static let types: [String: AttributeType] = [
    "Integer 16": .integer16, "Integer 32": .integer32, "Integer 64": .integer64, "Decimal": .decimal,
    "Double": .double, "Float": .float, "String": .string, "Boolean": .boolean, "Date": .date,
    "Binary": .binary,
    "UUID": .uuid, "URI": .uri, "Transformable": .transformable, "Composite": .composite,
    "ObjectID": .objectID,
    "Undefined": .undefined,
  ]

  /// The XML attributes that are preserved and written again, by element, without effect.
  static let preserved: [String: Set<String>] = [
    "model": [
      "type", "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
      "sourceLanguage",
      "macOSVersion", "iOSVersion", "name", "usedWithSwiftData", "usedWithCloudKit",
    ],
    "entity": ["syncable", "codeGenerationType", "coreSpotlightDisplayNameExpression"],
    "attribute": [
      "syncable", "storedInTruthFile", "spotlightIndexingEnabled", "allowsCloudEncryption",
      "defaultValueString",
      "defaultDateTimeInterval", "minValueString", "maxValueString", "minDateTimeInterval",
      "maxDateTimeInterval",
    ],
    "relationship": ["syncable", "storedInTruthFile", "spotlightIndexingEnabled"],
    "fetchedProperty": ["optional", "syncable"],
    "fetchRequest": [
      "fetchBatchSize", "includeSubentities", "includePropertyValues", "includesPendingChanges",
      "returnObjectsAsFaults", "returnDistinctResults", "resultType",
    ],
    "configuration": ["usedWithCloudKit"],
    "fetchIndexElement": ["expressionType"],
  ]

  static let deleteRules: [String: DeleteRule] = [
    "No Action": .noAction, "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny,
  ]
}

/// The attributes of one element, taken one by one; what is left is what was not understood.
struct XMLAttributes {
  private(set) var rest: [String: String]

  init(_ attributes: [String: String]) { rest = attributes }

  mutating func take(_ name: String) -> String? { rest.removeValue(forKey: name) }

  /// YES, or anything else for no.
  mutating func flag(_ name: String) -> Bool { take(name) == "YES" }
}

/// Default and limit texts, which editors of all ages wrote in any form.
struct XCDataModelDefaults {
  let type: AttributeType
  let attribute: String

  func value(_ interval: String?, _ text: String?, _ warnings: inout [String]) -> AttributeValue? {
    if type == .date, let seconds = interval.flatMap({ Double($0) }) {
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    }
    guard let text, !text.isEmpty || type == .string else { return nil }
    if let value = read(text) { return value }
    warnings.append("the default of \(attribute) is no \(type.rawValue); it is left out")
    return nil
  }

  func limit(_ interval: String?, _ text: String?, _ warnings: inout [String]) -> AttributeValue? {
    if type == .string { return text.flatMap { Int64($0) }.map(AttributeValue.integer) }
    return value(interval, text, &warnings)
  }

  private func read(_ text: String) -> AttributeValue? {
    let value: AttributeValue? =
      switch type {
      case .integer16, .integer32, .integer64: Self.integer(text).map(AttributeValue.integer)
      case .boolean: Self.integer(text).map { .boolean($0 != 0) }
      case .double, .float: Self.number(text).map(AttributeValue.double)
      default: AttributeValue.parse(text: text, as: type)
      }
    guard let value else { return nil }
    if type == .float, case .double(let double) = value { return .double(Double(Float(double))) }
    return value.matches(type) ? value : nil
  }

  /// Numbers beyond 2^53 are exact as whole numbers only.
  private static func integer(_ text: String) -> Int64? {
    Int64(text) ?? number(text).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
  }

  private static func number(_ text: String) -> Double? {
    switch text.uppercased() {
    case "YES", "TRUE": 1
    case "NO", "FALSE": 0
    default: Double(text)
    }
  }
}
