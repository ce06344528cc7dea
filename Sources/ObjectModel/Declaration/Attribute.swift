/// One attribute as a model declares it.
public struct Attribute: Sendable, Hashable, Codable {
  /// The name.
  public var name: String
  /// The type.
  public var type: AttributeType
  /// Whether null may be saved.
  public var isOptional: Bool
  /// Whether it lives in memory only.
  public var isTransient: Bool
  /// What new objects have.
  public var defaultValue: AttributeValue?
  /// The composite that a composite attribute is made of.
  public var compositeName: String?
  /// The transformer of a transformable attribute.
  public var valueTransformerName: String?
  /// The class of a transformable attribute's values.
  public var attributeValueClassName: String?
  /// Whether large values may be stored apart from the row.
  ///
  /// As `NSAttributeDescription.allowsExternalBinaryDataStorage`.
  public var allowsExternalBinaryDataStorage = false
  /// The expression a derived attribute is computed with.
  public var derivationExpression: String?
  /// The least value, or the least number of characters of text.
  public var minValue: AttributeValue?
  /// The greatest value, or the greatest number of characters of text.
  public var maxValue: AttributeValue?
  /// The regular expression that the whole text must fit.
  public var regularExpression: String?
  /// Whether the attribute has an index of its own.
  public var isIndexed = false
  /// How generated code shows the value; nil when the model does not say.
  public var usesScalarValueType: Bool?
  /// Whether the value stays in the history when the object is deleted.
  public var preservesValueInHistoryOnDeletion = false
  /// What the attribute is matched by between model versions.
  public var renamingIdentifier: String?
  /// Makes a version differ that is otherwise equal.
  public var versionHashModifier: String?
  /// The program's own notes.
  public var userInfo: [String: String] = [:]
  /// Other XML attributes of the model file, preserved for writing it again.
  public var extras: [String: String] = [:]

  /// Declares an attribute.
  public init(
    _ name: String, _ type: AttributeType, optional: Bool = true, transient: Bool = false,
    default defaultValue: AttributeValue? = nil, indexed: Bool = false, minValue: AttributeValue? = nil,
    maxValue: AttributeValue? = nil, regularExpression: String? = nil, composite: String? = nil,
    sealing: AttributeSealing? = nil, renamingIdentifier: String? = nil, userInfo: [String: String] = [:]
  ) {
    self.name = name
    self.type = type
    isOptional = optional
    isTransient = transient
    self.defaultValue = defaultValue
    isIndexed = indexed
    self.minValue = minValue
    self.maxValue = maxValue
    self.regularExpression = regularExpression
    compositeName = composite
    self.renamingIdentifier = renamingIdentifier
    self.userInfo = userInfo
    if let sealing { self.sealing = sealing }
  }
}

/// A composite type: named elements that attributes may be made of.
public struct Composite: Sendable, Hashable, Codable {
  /// The name.
  public var name: String
  /// The elements; they may be composites themselves.
  public var attributes: [Attribute]

  /// Declares a composite.
  public init(_ name: String, _ attributes: [Attribute]) {
    self.name = name
    self.attributes = attributes
  }
}
