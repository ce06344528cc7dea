/// Names of a model as names of Swift.
struct SwiftNames {
  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init",
    "inout",
    "internal", "let", "open", "operator", "private", "precedencegroup", "protocol", "public", "rethrows",
    "static",
    "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer", "do",
    "else",
    "fallthrough", "for", "guard", "if", "in", "repeat", "return", "switch", "throw", "where", "while", "Any",
    "as",
    "await", "catch", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try", "Type",
    "Protocol",
  ]

  /// What every managed object has already.
  private static let members: Set<String> = [
    "Foundation", "Indexes", "Strongroom", "Swift", "add", "awakeFromFetch", "awakeFromInsert", "boolean",
    "changedValues", "committedValues",
    "context", "data",
    "date", "description", "didSave", "double", "entity", "get", "hasChanges", "hash", "hashValue", "init",
    "integer",
    "isDeleted", "isFault", "isInserted", "isNull", "isUpdated", "managedObjectContext", "object", "objectID",
    "objects",
    "fetchExpression", "prepareForDeletion", "propertyNames", "propertyNamesByKeyPath", "queryEntity",
    "queryReference", "queryDestination", "queryDestinations", "queryValue",
    "reference",
    "remove", "self", "set", "setObject", "setObjects", "setValue", "string", "validateForDelete",
    "validateForInsert",
    "validateForUpdate", "value", "version", "willSave", "withBytes",
  ]

  /// Types that a class of the same name would hide from the generated code itself.
  private static let types: Set<String> = [
    "ManagedObject", "PropertyIndex", "AttributeValue", "PersistentStoreCoordinator", "Swift", "Foundation",
    "Strongroom",
    "NSManagedObject", "Indexes", "Type", "Protocol", "Self", "Any",
  ]

  /// A letter or underscore, then letters, digits and underscores.
  static func identifier(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars {
      let isWord = scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      result.unicodeScalars.append(isWord ? scalar : "_")
    }
    // An underscore alone is no name.
    if result.unicodeScalars.allSatisfy({ $0 == "_" }) { result += "x" }
    if result.isEmpty || result.unicodeScalars.first?.properties.numericType != nil { result = "_" + result }
    return result
  }

  /// A property's name; one that an object has already gets an underscore.
  static func member(_ name: String, taken: inout Set<String>) -> String {
    var result = identifier(name)
    while members.contains(result) || !taken.insert(result).inserted { result += "_" }
    return result
  }

  /// The name of a model in the code that embeds it: `shopModel` of `Shop`.
  static func model(_ name: String) -> String {
    let plain = identifier(name)
    let start = plain.prefix { $0.isUppercase }
    let lower = start.count > 1 && start.count < plain.count ? start.dropLast() : start
    let small = lower.lowercased() + plain.dropFirst(lower.count)
    return small.lowercased().hasSuffix("model") ? small : small + "Model"
  }

  /// A name at the place of its declaration and of its use.
  static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// A class's name: that of the model without its module, or the entity's.
  static func type(_ entity: EntityDescription, taken: inout Set<String>) -> String {
    let named = entity.declaration.managedObjectClassName?.split(separator: ".").last.map(String.init)
    var result = identifier(named.flatMap { types.contains($0) ? nil : $0 } ?? entity.name)
    if taken.contains(result) { result = identifier(entity.name) }
    while types.contains(result) || !taken.insert(result).inserted { result += "_" }
    return result
  }
}
