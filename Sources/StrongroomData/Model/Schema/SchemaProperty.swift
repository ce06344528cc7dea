/// A property of a schema's entity: a `Schema.Attribute` or a `Schema.Relationship`.
///
/// Its coded form has the value type by the name that the compiler gives it; reading throws
/// `DecodingError.dataCorrupted` where the program has no type of that name.
public protocol SchemaProperty: Codable, Hashable {
  /// The name.
  var name: String { get set }
  /// The name in earlier versions; the same unless said otherwise.
  var originalName: String { get set }
  /// The Swift type.
  var valueType: any Any.Type { get set }
  /// Whether it is an attribute.
  var isAttribute: Bool { get }
  /// Whether it is a relationship.
  var isRelationship: Bool { get }
  /// Whether it lives in memory only.
  var isTransient: Bool { get }
  /// Whether it may have no value.
  var isOptional: Bool { get }
  /// Whether no two models may share its value.
  var isUnique: Bool { get }
}

extension SchemaProperty {
  /// False unless the property says otherwise.
  public var isAttribute: Bool { false }
  /// False unless the property says otherwise.
  public var isRelationship: Bool { false }
  /// False unless the property says otherwise.
  public var isTransient: Bool { false }
  /// Whether the value type is an optional one, unless the property says otherwise.
  public var isOptional: Bool { valueType is any AnyOptional.Type }
}

extension Schema {
  /// One property of a class as `@Model` sees it.
  public struct PropertyMetadata {
    /// The name.
    public let name: String
    /// The key path that reads it.
    public let keypath: AnyKeyPath
    /// What is said of it beside its type.
    public let metadata: (any SchemaProperty)?
    let makeDefault: (() -> Any?)?

    /// Its default value, if it has one; computed at each access.
    public var defaultValue: Any? { makeDefault?() }

    /// Describes a property by a key path of any type.
    public init(
      name: String, keypath: AnyKeyPath, defaultValue: Any? = nil, metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.metadata = metadata
      makeDefault = defaultValue.map { value in { value } }
    }

    /// Describes a property with a default value, which is made when it is asked for.
    public init<Model: PersistentModel, Value>(
      name: String, keypath: KeyPath<Model, Value>, default makeDefault: @autoclosure @escaping () -> Value,
      metadata: (any SchemaProperty)? = nil
    ) {
      self.name = name
      self.keypath = keypath
      self.metadata = metadata
      self.makeDefault = { makeDefault() }
    }
  }
}
