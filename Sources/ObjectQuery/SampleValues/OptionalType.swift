/// Optional types, seen without their parameter.
package protocol OptionalType {
  /// The type inside.
  static var wrapped: Any.Type { get }
  /// The value inside; nil for nil.
  var wrappedValue: Any? { get }
}

extension Optional: OptionalType {
  package static var wrapped: Any.Type { Wrapped.self }
  package var wrappedValue: Any? { map { $0 as Any } }
}
