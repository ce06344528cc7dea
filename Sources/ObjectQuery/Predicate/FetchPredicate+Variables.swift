import ObjectModel

extension FetchPredicate {
  /// The predicate with its `$VARIABLE`s replaced.
  ///
  /// - Parameter value: Returns what replaces a variable's name, which may have a key path behind
  ///   it (`author.name`); nil leaves the variable.
  /// - Returns: The predicate without the variables that were replaced.
  /// - Throws: what `value` throws.
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
    case .kind(let object, let name): .kind(try object.substituting(value), name)
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
    case .variable(let name): return try value(name) ?? self
    case .list(let list): return .list(try list.map { try $0.substituting(value) })
    case .function(let function, let arguments):
      return .function(function, try arguments.map { try $0.substituting(value) })
    case .aggregate(let aggregate, let part): return .aggregate(aggregate, try part.substituting(value))
    case .conditional(let condition, let then, let otherwise):
      return .conditional(
        try condition.substituting(value), try then.substituting(value), try otherwise.substituting(value))
    case .element(let collection, let place, let names):
      return .element(try collection.substituting(value), place, names)
    case .subquery(var subquery):
      subquery.collection = try subquery.collection.substituting(value)
      let own = subquery.variable
      subquery.predicate = try subquery.predicate.substituting { name in
        name == own || name.hasPrefix(own + ".") ? nil : try value(name)
      }
      return .subquery(subquery)
    case .value, .keyPath, .selfObject: return self
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
