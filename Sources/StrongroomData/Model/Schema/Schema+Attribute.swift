extension Schema {
  /// An attribute: what `@Attribute` says of a property, and what the schema knows of it.
  public struct Attribute: SchemaProperty, Hashable {
    /// One thing that `@Attribute` may say.
    public struct Option: Sendable, Hashable {
      enum Kind: Sendable, Hashable {
        case unique, externalStorage, ephemeral, preserveValueOnDeletion, spotlight, allowsCloudEncryption
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
    }

    /// The name; empty as `@Attribute` writes it.
    public var name = ""
    /// The name in earlier versions.
    public var originalName: String
    /// What `@Attribute` says.
    public var options: [Option]
    /// The Swift type.
    public var valueType: Any.Type = Never.self
    /// Makes a version differ that is otherwise equal.
    public var hashModifier: String?
    /// Whether it may have no value.
    public internal(set) var isOptional = false

    /// What `@Attribute` says of a property.
    public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
      self.options = options
      self.originalName = originalName ?? ""
      self.hashModifier = hashModifier
    }

    /// Whether no two models may share its value.
    public var isUnique: Bool { options.contains(.unique) }
    /// Whether it lives in memory only.
    public var isTransient: Bool { options.contains(.ephemeral) }
    /// Whether a transformer makes what is stored.
    public var isTransformable: Bool { transformerName != nil }
    /// True.
    public var isAttribute: Bool { true }
    /// False.
    public var isRelationship: Bool { false }

    var transformerName: String? {
      for case .transformable(let name, _) in options.map(\.kind) { return name }
      return nil
    }

    /// What the transformer is called in the description of the model.
    var transformerLabel: String? {
      for case .transformable(_, let label) in options.map(\.kind) { return label }
      return nil
    }

    /// The same name, options and type.
    public static func == (left: Attribute, right: Attribute) -> Bool {
      left.name == right.name && left.originalName == right.originalName && left.options == right.options
        && left.valueType == right.valueType && left.hashModifier == right.hashModifier
    }
    /// Hashes name and options.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(options)
    }
  }
}
