extension Schema {
  /// Properties that are searched or sorted by, as `#Index` lists them.
  public final class Index<T: PersistentModel>: SchemaConstraint, SchemaProperty, CustomDebugStringConvertible
  {
    /// The members that are coded.
    public enum CodingKeys: String, CodingKey {
      /// The indexes.
      case indices
    }

    /// The kinds of index.
    public enum Types<Root: PersistentModel> {
      /// Of values in their order.
      case binary([PartialKeyPath<Root>])
      /// Of ranges in up to five numbers or dates at once.
      case rtree([PartialKeyPath<Root>])
      /// Of the words of one text or more, which `FetchDescriptor.search` looks in.
      case fullText([PartialKeyPath<Root>])
    }

    /// The name: the kind of constraint.
    public var name = "Index"
    /// The name in earlier versions.
    public var originalName = "Index"
    /// The class whose properties are named.
    public var valueType: any Any.Type = T.self
    /// Whether no two models share the values.
    public var isUnique: Bool { false }

    /// The indexes.
    public let indices: [Types<T>]

    /// Makes indexes of values in their order, each over the properties of one list together.
    public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices.map { .binary($0) } }
    /// Makes indexes of any kind.
    public init(_ indices: Types<T>...) { self.indices = indices }

    /// Kind, class and the names of the properties.
    public var debugDescription: String { "Index of \(T.self): \(named.map(\.names))" }

    /// What it says, by key paths.
    public var paths: SchemaConstraintPaths {
      .init(
        kind: indices.map {
          switch $0 {
          case .binary(let paths): (.index, paths)
          case .rtree(let paths): (.rTree, paths)
          case .fullText(let paths): (.fullText, paths)
          }
        })
    }

    /// The same properties in the same order.
    public static func == (left: Index, right: Index) -> Bool { left.named == right.named }
    /// Hashes the names of the properties.
    public func hash(into hasher: inout Hasher) { hasher.combine(named) }

    /// Reads what `encode(to:)` wrote.
    /// - Throws: `DecodingError.dataCorrupted` for a property that the class does not have.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      indices = try values.decode([CodedIndex].self, forKey: .indices).map { index in
        let paths: [PartialKeyPath<T>] = try ConstraintNames.paths(index.names, decoder)
        return switch index.kind {
        case .rTree: .rtree(paths)
        case .fullText: .fullText(paths)
        case .index, .unique: .binary(paths)
        }
      }
    }

    /// Writes the names of the properties with the kind of each index.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(named, forKey: .indices)
    }
  }
}

// @unchecked: changed by its maker only until a container has it; key paths never change.
extension Schema.Index: @unchecked Sendable {}

extension Schema.Index: NamedConstraint {
  var named: [CodedIndex] {
    paths.kind.map { kind, paths in
      CodedIndex(kind: kind, names: ConstraintNames.names(paths.compactMap { $0 as? PartialKeyPath<T> }))
    }
  }
}
