extension Schema {
  /// A relationship: what `@Relationship` says of a property, and what the schema knows of it.
  ///
  /// Not changed once a schema with it is used by a container.
  public final class Relationship: SchemaProperty, CustomDebugStringConvertible {
    /// What happens to the destinations when a model is deleted.
    public enum DeleteRule: String, Sendable, Hashable, Codable, CaseIterable {
      /// Nothing.
      case noAction
      /// It forgets the model.
      case nullify
      /// It is deleted too.
      case cascade
      /// While there is one, the model cannot be deleted: saving throws.
      case deny
    }

    /// One thing that `@Relationship` may say.
    public struct Option: Sendable, Hashable, Codable, CustomDebugStringConvertible {
      enum Kind: Sendable, Hashable, Codable { case unique }
      let kind: Kind

      /// No two models may have the same destination.
      public static let unique = Option(kind: .unique)

      /// What it says.
      public var debugDescription: String { "\(kind)" }
    }

    /// The name; empty as `@Relationship` writes it.
    public var name = ""
    /// The name in earlier versions.
    public var originalName: String
    /// What `@Relationship` says.
    public var options: [Option]
    /// The Swift type.
    public var valueType: any Any.Type = Never.self
    /// The name of the destination entity; empty as `@Relationship` writes it.
    public var destination = ""
    /// The name of the inverse, where one is known.
    public var inverseName: String?
    /// The key path of the inverse, as given to `@Relationship`.
    public var inverseKeyPath: AnyKeyPath?
    /// What happens on deletion.
    public var deleteRule: DeleteRule
    /// The fewest destinations of a to-many.
    public var minimumModelCount: Int?
    /// The most destinations of a to-many; 0 for no limit.
    public var maximumModelCount: Int?
    /// Makes a version differ that is otherwise equal.
    public var hashModifier: String?
    /// The key path that reads it, where its class is in the program.
    public var keypath: AnyKeyPath?
    /// Whether it may have no destination, as its value type says.
    public var isOptional: Bool { valueType is any AnyOptional.Type }
    /// Whether it has one destination at most, as its value type says.
    public var isToOneRelationship: Bool {
      let type = (valueType as? any AnyOptional.Type)?.wrapped ?? valueType
      return !(type is any AnyList.Type)
    }

    /// The destination's name, which the value type gives where none is set.
    var destinationName: String {
      if !destination.isEmpty { return destination }
      return PropertySchema.destination(valueType).map { ModelSchema.name($0.0) } ?? ""
    }

    /// The inverse's name, which the key path gives where none is set.
    var inverse: String? {
      if inverseName != nil { return inverseName }
      guard let path = inverseKeyPath, let type = PropertySchema.destination(valueType)?.0 else { return nil }
      return ModelSchema.of(type).propertyNames[path]
    }

    /// What `@Relationship` says of a property.
    public init(
      _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
      maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
      hashModifier: String? = nil
    ) {
      self.options = options
      self.deleteRule = deleteRule
      self.minimumModelCount = minimumModelCount
      self.maximumModelCount = maximumModelCount
      self.originalName = originalName ?? ""
      inverseKeyPath = inverse
      self.hashModifier = hashModifier
    }

    /// Name, type and destination.
    public var debugDescription: String { "Relationship \(name): \(valueType) to \(destination)" }

    /// Whether no two models may have the same destination.
    public var isUnique: Bool { options.contains(.unique) }
    /// False.
    public var isTransient: Bool { false }
    /// False.
    public var isAttribute: Bool { false }
    /// True.
    public var isRelationship: Bool { true }

    /// The same name, type, destination, rule and inverse; key paths are not compared.
    public static func == (left: Relationship, right: Relationship) -> Bool {
      left.name == right.name && left.originalName == right.originalName && left.options == right.options
        && left.valueType == right.valueType && left.deleteRule == right.deleteRule
        && left.destination == right.destination && left.inverseName == right.inverseName
        && left.hashModifier == right.hashModifier && left.minimumModelCount == right.minimumModelCount
        && left.maximumModelCount == right.maximumModelCount
    }
    /// Hashes name and rule.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(deleteRule)
    }

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, valueType, destination, inverseName, deleteRule
      case minimumModelCount, maximumModelCount, hashModifier, owner
    }

    /// Reads what `encode(to:)` wrote; key paths are found by name in the classes of the program.
    /// - Throws: `DecodingError.dataCorrupted` for a value type that the program does not have.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      name = try values.decode(String.self, forKey: .name)
      originalName = try values.decode(String.self, forKey: .originalName)
      options = try values.decode([Option].self, forKey: .options)
      valueType = try values.decode(SchemaTypeName.self, forKey: .valueType).type
      destination = try values.decode(String.self, forKey: .destination)
      inverseName = try values.decodeIfPresent(String.self, forKey: .inverseName)
      deleteRule = try values.decode(DeleteRule.self, forKey: .deleteRule)
      minimumModelCount = try values.decodeIfPresent(Int.self, forKey: .minimumModelCount)
      maximumModelCount = try values.decodeIfPresent(Int.self, forKey: .maximumModelCount)
      hashModifier = try values.decodeIfPresent(String.self, forKey: .hashModifier)
      let owner = try values.decodeIfPresent(String.self, forKey: .owner)
        .flatMap(SchemaTypeName.type)
      keypath = Self.keyPath(name, in: owner)
      inverseKeyPath = Self.keyPath(inverseName, in: PropertySchema.destination(valueType)?.0)
    }

    /// Writes all members, key paths by the names of their classes and properties.
    /// - Throws: `EncodingError.invalidValue` for a value type without a name to be found by.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(name, forKey: .name)
      try values.encode(originalName, forKey: .originalName)
      try values.encode(options, forKey: .options)
      try values.encode(SchemaTypeName(valueType), forKey: .valueType)
      try values.encode(destination, forKey: .destination)
      try values.encodeIfPresent(inverseName, forKey: .inverseName)
      try values.encode(deleteRule, forKey: .deleteRule)
      try values.encodeIfPresent(minimumModelCount, forKey: .minimumModelCount)
      try values.encodeIfPresent(maximumModelCount, forKey: .maximumModelCount)
      try values.encodeIfPresent(hashModifier, forKey: .hashModifier)
      let owner = keypath.flatMap { _mangledTypeName(type(of: $0).rootType) }
      try values.encodeIfPresent(owner, forKey: .owner)
    }

    private static func keyPath(_ name: String?, in type: Any.Type?) -> AnyKeyPath? {
      guard let name, let type = type as? any PersistentModel.Type else { return nil }
      return ModelSchema.of(type).properties.first { $0.name == name }?.keyPath
    }

    /// A copy that the receiver may change.
    func copy() -> Relationship {
      let copy = Relationship(
        deleteRule: deleteRule, minimumModelCount: minimumModelCount, maximumModelCount: maximumModelCount,
        originalName: originalName, inverse: inverseKeyPath, hashModifier: hashModifier)
      copy.name = name
      copy.options = options
      copy.valueType = valueType
      copy.destination = destination
      copy.inverseName = inverseName
      copy.keypath = keypath
      return copy
    }
  }
}

// @unchecked: changed by its maker only until a container has it; key paths never change.
extension Schema.Relationship: @unchecked Sendable {}
