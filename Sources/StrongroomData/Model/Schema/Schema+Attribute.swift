public import ObjectModel

extension Schema {
  /// An attribute: what `@Attribute` says of a property, and what the schema knows of it.
  ///
  /// Not changed once a schema with it is used by a container.
  public class Attribute: SchemaProperty, CustomDebugStringConvertible {
    /// One thing that `@Attribute` may say.
    public struct Option: Sendable, Hashable, Codable, CustomDebugStringConvertible {
      enum Kind: Sendable, Hashable, Codable {
        case unique, externalStorage, ephemeral, preserveValueOnDeletion, spotlight, allowsCloudEncryption
        case codable
        case sealed(AttributeSealing)
        /// The name in the registry, and the one that the model is described with.
        case transformable(String, called: String)
      }

      let kind: Kind

      /// No two models may have the same value.
      ///
      /// Inserting one with the value of another, and saving, changes the other.
      public static let unique = Option(kind: .unique)
      /// Long values are stored outside the row, and read on first access.
      public static let externalStorage = Option(kind: .externalStorage)
      /// The value is not stored; other than with `@Transient`, changing it counts as a change.
      public static let ephemeral = Option(kind: .ephemeral)
      /// The value stays in the history when the model is deleted.
      public static let preserveValueOnDeletion = Option(kind: .preserveValueOnDeletion)
      /// Nothing here: there is no such index on Linux.
      public static let spotlight = Option(kind: .spotlight)
      /// Nothing here: all of a store is encrypted, and goes to no cloud.
      public static let allowsCloudEncryption = Option(kind: .allowsCloudEncryption)

      /// The value is stored as the bytes of its own coding, also where its type has a plain form.
      ///
      /// Its order and parts are not known to the store: predicates compare it with `==` and `!=` only, and
      /// sort descriptors refuse it.
      public static let codable = Option(kind: .codable)

      /// A store on a server seals the value, so that the server cannot read it.
      ///
      /// A file is encrypted as a whole, so there it changes nothing but the version of the model.
      public static func sealed(_ sealing: AttributeSealing) -> Option { Option(kind: .sealed(sealing)) }

      /// The value is stored as what a transformer makes of it, which is registered by itself under
      /// the name of its class with its module, and under the name alone where no other has it.
      public static func transformable(by transformer: ValueTransformer.Type) -> Option {
        Option(
          kind: .transformable(
            ValueTransformer.register(transformer), called: String(describing: transformer)))
      }

      /// The value is stored as what the transformer of a name makes of it; see
      /// `ValueTransformer.setValueTransformer(_:forName:)`.
      public static func transformable(by name: String) -> Option {
        Option(kind: .transformable(name, called: name))
      }

      /// What it says.
      public var debugDescription: String { "\(kind)" }
    }

    /// The name; empty as `@Attribute` writes it.
    public var name: String
    /// The name in earlier versions.
    public var originalName: String
    /// What `@Attribute` says.
    public var options: [Option]
    /// The Swift type.
    public var valueType: any Any.Type
    /// The value of new models, where it is the same for each; nil for none.
    public var defaultValue: Any?
    /// Makes a version differ that is otherwise equal.
    public var hashModifier: String?
    /// Whether it may have no value; as the value type says unless set.
    public var isOptional: Bool

    /// What `@Attribute` says of a property.
    public convenience init(
      _ options: Option..., originalName: String? = nil, hashModifier: String? = nil
    ) {
      self.init(
        name: "", originalName: originalName, options: options, valueType: Never.self,
        hashModifier: hashModifier)
    }

    /// An attribute of a schema made by hand.
    /// - Parameters:
    ///   - name: The property's name.
    ///   - originalName: The name in earlier versions; nil for the same.
    ///   - options: As in `@Attribute`.
    ///   - valueType: The Swift type; an optional one makes the attribute optional.
    ///   - defaultValue: The value of new models; nil for none.
    ///   - hashModifier: Makes a version differ that is otherwise equal.
    public init(
      name: String, originalName: String? = nil, options: [Option] = [], valueType: any Any.Type,
      defaultValue: Any? = nil, hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName ?? name
      self.options = options
      self.valueType = valueType
      self.defaultValue = defaultValue
      self.hashModifier = hashModifier
      isOptional = valueType is any AnyOptional.Type
    }

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, valueType, defaultValue, hashModifier, isOptional
    }

    /// Reads what `encode(to:)` wrote.
    /// - Throws: `DecodingError.dataCorrupted` for a value type that the program does not have, or
    ///   what the default value's own decoding throws.
    public required init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      name = try values.decode(String.self, forKey: .name)
      originalName = try values.decode(String.self, forKey: .originalName)
      options = try values.decode([Option].self, forKey: .options)
      valueType = try values.decode(SchemaTypeName.self, forKey: .valueType).type
      hashModifier = try values.decodeIfPresent(String.self, forKey: .hashModifier)
      isOptional = try values.decode(Bool.self, forKey: .isOptional)
      if values.contains(.defaultValue), isPlain, let type = valueType as? any Decodable.Type {
        defaultValue = try type.init(from: try values.superDecoder(forKey: .defaultValue))
      }
    }

    /// Writes all members; the default value where the store has its type, and it is not coded itself.
    /// - Throws: `EncodingError.invalidValue` for a value type without a name to be found by.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(name, forKey: .name)
      try values.encode(originalName, forKey: .originalName)
      try values.encode(options, forKey: .options)
      try values.encode(SchemaTypeName(valueType), forKey: .valueType)
      try values.encodeIfPresent(hashModifier, forKey: .hashModifier)
      try values.encode(isOptional, forKey: .isOptional)
      if let value = defaultValue as? any Encodable, isPlain {
        try value.encode(to: values.superEncoder(forKey: .defaultValue))
      }
    }

    /// Whether no two models may share its value.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether it lives in memory only.
    public var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether a transformer makes what is stored.
    public var isTransformable: Bool { transformerName != nil }
    /// Whether the value is stored as the bytes of its own coding.
    public var isCodable: Bool { options.contains(.codable) }
    /// True.
    public var isAttribute: Bool { true }
    /// False.
    public var isRelationship: Bool { false }

    /// Name, type and options.
    public var debugDescription: String { "Attribute \(name): \(valueType), \(options)" }

    /// How a store on a server seals the values.
    var sealing: AttributeSealing? {
      for case .sealed(let sealing) in options.map(\.kind) { return sealing }
      return nil
    }

    var transformerName: String? {
      for case .transformable(let name, _) in options.map(\.kind) { return name }
      return nil
    }

    /// What the transformer is called in the description of the model.
    var transformerLabel: String? {
      for case .transformable(_, let label) in options.map(\.kind) { return label }
      return nil
    }

    /// Whether the store has the values as they are, or raw values of theirs.
    private var isPlain: Bool {
      valueType is any Decodable.Type && PropertySchema.form(valueType, self).type != .transformable
    }

    /// A copy that the receiver may change.
    func copy() -> Attribute {
      let copy = Attribute(
        name: name, originalName: originalName, options: options, valueType: valueType,
        defaultValue: defaultValue, hashModifier: hashModifier)
      copy.isOptional = isOptional
      return copy
    }

    /// Whether all that is compared is equal; subclasses compare more.
    func isEqual(to other: Attribute) -> Bool {
      type(of: self) == type(of: other) && name == other.name && originalName == other.originalName
        && options == other.options && valueType == other.valueType && isOptional == other.isOptional
        && hashModifier == other.hashModifier
    }

    /// The same name, options and type.
    public static func == (left: Attribute, right: Attribute) -> Bool { left.isEqual(to: right) }
    /// Hashes name and options.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(options)
    }
  }
}

// @unchecked: changed by its maker only until a container has it.
extension Schema.Attribute: @unchecked Sendable {}
