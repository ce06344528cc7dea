package import Foundation
package import ObjectModel

/// What a store's owner knows of the types in a predicate that the predicate itself does not say.
package protocol PredicateValues {
  /// The name of the property that a key path of a type reads which is no model; nil for what lies
  /// inside a value.
  func name(of keyPath: AnyKeyPath, in type: Any.Type) -> String?
  /// Whether a property's values are stored as JSON, so that a predicate can look into them.
  func isJSON(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool
  /// Whether a value transformer makes a property's stored value.
  func isTransformed(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool
  /// Whether a property's values are stored in a form that the store can order.
  func isOrdered(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool
  /// A value in the form in which a property stores it; nil where it is compared unchanged.
  func stored(_ value: Any, as keyPath: AnyKeyPath, of type: Any.Type) -> AttributeValue?
  /// The number of the object that an identifier names, among those of a class; 0 when it is none
  /// of them, nil for what is no identifier.
  func reference(_ value: Any, among type: Any.Type) -> Int64?
  /// A value's JSON; nil where values are not stored as JSON.
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
