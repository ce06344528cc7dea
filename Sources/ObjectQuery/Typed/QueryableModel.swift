/// A type whose key paths name properties of an entity: a class of objects, or a value that is a
/// row.
public protocol QueryableModel {
  /// The name of the property that each key path reads, inherited ones included. The key paths
  /// begin at the type itself.
  static var propertyNames: [AnyKeyPath: String] { get }
  /// The property that a key path reads; nil when it reads none, empty for the object itself. The
  /// default looks it up in `propertyNames`.
  static func propertyName(of keyPath: AnyKeyPath) -> String?
  /// The name of the entity, which `is` and `as?` in predicates ask for. The default is the class's
  /// own.
  static var queryEntityName: String { get }
}

extension QueryableModel {
  /// What `propertyNames` says.
  public static func propertyName(of keyPath: AnyKeyPath) -> String? { propertyNames[keyPath] }
  /// The class's own name, without what it is nested in.
  public static var queryEntityName: String { String(describing: Self.self) }

  /// The property that a key path reads.
  ///
  /// One that reads none is described, so that the fetch refuses it by that.
  static func propertyName(_ keyPath: AnyKeyPath) -> String { propertyName(of: keyPath) ?? unnamed(keyPath) }

  /// A key path without a name: Swift on Linux does not tell what a computed property is called.
  static func unnamed(_ keyPath: AnyKeyPath) -> String {
    "\(Self.self)'s key path to \(type(of: keyPath).valueType), which \(Self.self).propertyNames does not"
      + " have"
  }
}
