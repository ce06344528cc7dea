/// What `#Unique` or `#Index` says in a class.
public protocol SchemaConstraint {
  /// What it says, by key paths.
  var paths: SchemaConstraintPaths { get }
}

/// The key paths of a `#Unique` or `#Index`.
public struct SchemaConstraintPaths: @unchecked Sendable {
  // @unchecked: key paths never change.
  enum Kind { case unique, index, rTree, fullText }
  let kind: [(Kind, [AnyKeyPath])]
}

extension Schema {
  /// Properties whose values together no two models share, as `#Unique` lists them.
  public struct Unique<T: PersistentModel>: SchemaConstraint {
    /// The lists.
    public let constraints: [[PartialKeyPath<T>]]

    /// Makes constraints, each of the properties of one list together.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

    /// What it says, by key paths.
    public var paths: SchemaConstraintPaths { .init(kind: constraints.map { (.unique, $0) }) }
  }

  /// Properties that are searched or sorted by, as `#Index` lists them.
  public struct Index<T: PersistentModel>: SchemaConstraint {
    /// The kinds of index.
    public enum Types<Root: PersistentModel> {
      /// Of values in their order.
      case binary([PartialKeyPath<Root>])
      /// Of ranges in up to five numbers or dates at once.
      case rtree([PartialKeyPath<Root>])
      /// Of the words of one text or more, which `FetchDescriptor.search` looks in.
      case fullText([PartialKeyPath<Root>])
    }

    /// The indexes.
    public let indices: [Types<T>]

    /// Makes indexes of values in their order, each over the properties of one list together.
    public init(_ indices: [PartialKeyPath<T>]...) { self.indices = indices.map { .binary($0) } }
    /// Makes indexes of any kind.
    public init(_ indices: Types<T>...) { self.indices = indices }

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
  }
}
