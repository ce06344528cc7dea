extension Schema {
  /// An attribute whose value has attributes of its own, such as a `Codable` structure's.
  ///
  /// The value is stored whole, as of any `Codable` type; `properties` describe it.
  public final class CompositeAttribute: Attribute {
    /// The attributes of the value.
    public var properties: [Attribute] = []

    private enum CodingKeys: String, CodingKey { case properties }

    /// A composite of a schema made by hand; its `properties` are set afterwards.
    /// - Parameters: as of `Attribute`.
    public override init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      super.init(
        name: name, originalName: originalName, options: options, valueType: valueType,
        defaultValue: defaultValue, hashModifier: hashModifier)
    }

    /// Reads what `encode(to:)` wrote.
    /// - Throws: as of `Attribute`, for itself and for its properties.
    public required init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      properties = try values.decode([CodedSchemaProperty].self, forKey: .properties)
        .compactMap { $0.property as? Attribute }
      try super.init(from: decoder)
    }

    /// Writes all members.
    /// - Throws: as of `Attribute`, for itself and for its properties.
    public override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(properties.compactMap(CodedSchemaProperty.init), forKey: .properties)
    }

    /// Name, type and properties.
    public override var debugDescription: String {
      "CompositeAttribute \(name): \(valueType), \(properties)"
    }

    override func copy() -> Attribute {
      let copy = CompositeAttribute(
        name: name, originalName: originalName, options: options, valueType: valueType,
        defaultValue: defaultValue, hashModifier: hashModifier)
      copy.isOptional = isOptional
      copy.properties = properties
      return copy
    }

    override func isEqual(to other: Attribute) -> Bool {
      guard super.isEqual(to: other), let other = other as? CompositeAttribute else { return false }
      return properties == other.properties
    }

    /// The same name, options, type and properties.
    public static func == (left: CompositeAttribute, right: CompositeAttribute) -> Bool {
      left.isEqual(to: right)
    }
  }
}

// @unchecked: changed by its maker only until a container has it.
extension Schema.CompositeAttribute: @unchecked Sendable {}
