import ObjectModel

extension FetchPredicate {
  /// The predicate with its `$VARIABLE`s replaced.
  /// - Parameter value: What stands for a variable's name, which may have a key path behind it (`author.name`); nil leaves
  ///   the variable.
  public func substituting(
    _ value: (String) throws -> FetchExpression?
  ) rethrows -> FetchPredicate {
    switch self {
    case .constant: self
    case .comparison(var comparison):
      try {
        comparison.left = try comparison.left.substituting(value)
        comparison.right = try comparison.right.substituting(value)
        return .comparison(comparison)
      }()
    case .and(let parts): .and(try parts.map { try $0.substituting(value) })
    case .or(let parts): .or(try parts.map { try $0.substituting(value) })
    case .not(let part): .not(try part.substituting(value))
    }
  }

  /// The names of its variables.
  public var variables: Set<String> {
    var names: Set<String> = []
    _ = substituting {
      names.insert($0)
      return nil
    }
    return names
  }
}

extension FetchExpression {
  func substituting(_ value: (String) throws -> FetchExpression?) rethrows -> FetchExpression {
    switch self {
    case .variable(let name): try value(name) ?? self
    case .list(let list): .list(try list.map { try $0.substituting(value) })
    case .value, .keyPath, .selfObject: self
    }
  }
}

extension FetchExpression: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
  /// A constant text.
  public init(stringLiteral value: String) { self = .value(.string(value)) }
  /// A constant whole number.
  public init(integerLiteral value: Int64) { self = .value(.integer(value)) }
  /// A constant floating-point number.
  public init(floatLiteral value: Double) { self = .value(.double(value)) }
  /// A constant boolean.
  public init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }
  /// A list, for IN and BETWEEN.
  public init(arrayLiteral elements: FetchExpression...) { self = .list(elements) }
}
