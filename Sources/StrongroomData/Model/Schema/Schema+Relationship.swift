extension Schema {
  /// A relationship: what `@Relationship` says of a property, and what the schema knows of it.
  public struct Relationship: SchemaProperty, Hashable {
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
    public struct Option: Sendable, Hashable {
      enum Kind: Sendable, Hashable { case unique }
      let kind: Kind

      /// No two models may have the same destination.
      public static let unique = Option(kind: .unique)
    }

    /// The name; empty as `@Relationship` writes it.
    public var name = ""
    /// The name in earlier versions.
    public var originalName: String
    /// What `@Relationship` says.
    public var options: [Option]
    /// The Swift type.
    public var valueType: Any.Type = Never.self
    /// The name of the destination entity; empty as `@Relationship` writes it.
    public internal(set) var destination = ""
    /// The name of the inverse, where one is known.
    public internal(set) var inverseName: String?
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
    /// Whether it may have no destination.
    public internal(set) var isOptional = false
    /// Whether it has one destination at most.
    public internal(set) var isToOneRelationship = false

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

    /// Whether no two models may have the same destination.
    public var isUnique: Bool { options.contains(.unique) }
    /// False.
    public var isTransient: Bool { false }
    /// False.
    public var isAttribute: Bool { false }
    /// True.
    public var isRelationship: Bool { true }

    /// The same name, type, rule and inverse.
    public static func == (left: Relationship, right: Relationship) -> Bool {
      left.name == right.name && left.originalName == right.originalName && left.options == right.options
        && left.valueType == right.valueType && left.deleteRule == right.deleteRule
        && left.inverseKeyPath == right.inverseKeyPath && left.hashModifier == right.hashModifier
        && left.minimumModelCount == right.minimumModelCount
        && left.maximumModelCount == right.maximumModelCount
    }
    /// Hashes name and rule.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(deleteRule)
    }
  }
}
