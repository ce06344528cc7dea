package import Foundation
package import ObjectModel

/// What a store's owner knows of the types in a predicate that the predicate itself does not say.
package protocol PredicateValues {
  /// The name of the property that a key path of a type reads which is no model; nil for what lies inside a value.
  func name(of keyPath: AnyKeyPath, in type: Any.Type) -> String?
  /// Whether a property's values are kept as JSON, so that a condition can look into them.
  func isJSON(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool
  /// Whether a transformer makes what is kept of a property.
  func isTransformed(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool
  /// Whether a property's values are kept so that the store can tell which is less.
  func isOrdered(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool
  /// A value as a property keeps it; nil where it is compared as it stands.
  func stored(_ value: Any, as keyPath: AnyKeyPath, of type: Any.Type) -> AttributeValue?
  /// The number of the object that an identifier names, among those of a class; 0 when it is none of them, nil for what is no
  /// identifier.
  func reference(_ value: Any, among type: Any.Type) -> Int64?
  /// A value's JSON; nil where values are not kept so.
  func json(_ value: any Encodable) -> Data?
}

extension PredicateValues {
  package func name(of keyPath: AnyKeyPath, in type: Any.Type) -> String? { nil }
  package func isJSON(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool { true }
  package func isTransformed(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool { false }
  package func isOrdered(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool { true }
  package func stored(_ value: Any, as keyPath: AnyKeyPath, of type: Any.Type) -> AttributeValue? { nil }
  package func reference(_ value: Any, among type: Any.Type) -> Int64? { nil }
  package func json(_ value: any Encodable) -> Data? { nil }
}

/// Nothing but how values are encoded.
struct EncodedValues: PredicateValues {
  let encode: ((any Encodable) -> Data?)?

  func json(_ value: any Encodable) -> Data? { encode?(value) }
}
