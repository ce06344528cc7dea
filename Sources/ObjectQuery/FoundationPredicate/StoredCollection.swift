import Foundation

/// A collection that may be an attribute's value, stored as JSON.
protocol StoredCollection {
  static var element: Any.Type { get }
  /// Whether equal collections have equal JSON texts.
  static var hasOrder: Bool { get }
  /// Whether JSON keeps one as a list or an object with as many entries.
  static var isCounted: Bool { get }
  /// The bytes of an empty one.
  static var storedEmpty: Data { get }
  var elementCount: Int { get }
}

extension StoredCollection {
  /// Whether its elements stand in their order, by themselves.
  static var isArray: Bool { hasOrder && storedEmpty.first == UInt8(ascii: "[") }
  /// Whether its elements are models, as a to-many relationship's are.
  static var isOfModels: Bool { element is any QueryableModel.Type }
}

extension Array: StoredCollection {
  static var element: Any.Type { Element.self }
  static var hasOrder: Bool { true }
  static var isCounted: Bool { true }
  static var storedEmpty: Data { Data("[]".utf8) }
  var elementCount: Int { count }
}

extension Set: StoredCollection {
  static var element: Any.Type { Element.self }
  static var hasOrder: Bool { false }
  static var isCounted: Bool { true }
  static var storedEmpty: Data { Data("[]".utf8) }
  var elementCount: Int { count }
}

/// Those whose keys are no texts or numbers are lists of keys and values in turn.
extension Dictionary: StoredCollection {
  static var element: Any.Type { (Key, Value).self }
  static var hasOrder: Bool { isCounted }
  static var isCounted: Bool {
    Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
  }
  static var storedEmpty: Data { Data((isCounted ? "{}" : "[]").utf8) }
  var elementCount: Int { count }
}

/// What a type that may be optional is as a collection of one attribute's values.
func storedCollection(_ type: Any.Type) -> (any StoredCollection.Type)? {
  if let optional = type as? any OptionalType.Type { return storedCollection(optional.wrapped) }
  guard let collection = type as? any StoredCollection.Type, !collection.isOfModels else { return nil }
  return collection
}

/// Whether a type is a collection of models, optional or not.
func isOfModels(_ type: Any.Type) -> Bool {
  if let optional = type as? any OptionalType.Type { return isOfModels(optional.wrapped) }
  return (type as? any StoredCollection.Type)?.isOfModels == true
}
