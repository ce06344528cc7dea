extension Schema {
  /// Properties whose values together no two models share, as `#Unique` lists them.
  public final class Unique<T: PersistentModel>: SchemaConstraint, SchemaProperty,
    CustomDebugStringConvertible
  {
    /// The members that are coded.
    public enum CodingKeys: String, CodingKey {
      /// The lists.
      case constraints
    }

    /// The name: the kind of constraint.
    public var name = "Unique"
    /// The name in earlier versions.
    public var originalName = "Unique"
    /// The class whose properties are named.
    public var valueType: any Any.Type = T.self
    /// Whether no two models share the values.
    public var isUnique: Bool { true }

    /// The lists.
    public let constraints: [[PartialKeyPath<T>]]

    /// Makes constraints, each of the properties of one list together.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

    /// Kind, class and the names of the properties.
    public var debugDescription: String { "Unique of \(T.self): \(coded)" }

    /// What it says, by key paths.
    public var paths: SchemaConstraintPaths { .init(kind: constraints.map { (.unique, $0) }) }

    private var coded: [[String]] { constraints.map(ConstraintNames.names) }

    /// The same properties in the same order.
    public static func == (left: Unique, right: Unique) -> Bool { left.coded == right.coded }
    /// Hashes the names of the properties.
    public func hash(into hasher: inout Hasher) { hasher.combine(coded) }

    /// Reads what `encode(to:)` wrote.
    /// - Throws: `DecodingError.dataCorrupted` for a property that the class does not have.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      constraints = try values.decode([[String]].self, forKey: .constraints)
        .map { try ConstraintNames.paths($0, decoder) }
    }

    /// Writes the names of the properties.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(coded, forKey: .constraints)
    }
  }
}

// @unchecked: changed by its maker only until a container has it; key paths never change.
extension Schema.Unique: @unchecked Sendable {}

extension Schema.Unique: NamedConstraint {
  var named: [CodedIndex] {
    constraints.map { CodedIndex(kind: .unique, names: ConstraintNames.names($0)) }
  }
}
