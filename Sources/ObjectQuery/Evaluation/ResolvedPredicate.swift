public import ObjectModel

/// A predicate whose names have been looked up for an entity, ready to be asked of any number of
/// objects.
public struct ResolvedPredicate: Sendable {
  private indirect enum Node: Sendable {
    case constant(Bool)
    case comparison(ResolvedComparison)
    case and([Node])
    case or([Node])
    case not(Node)
    case kind(ResolvedObject, EntityDescription)
  }

  private let node: Node

  /// Resolves the names.
  /// - Throws: `QueryError` when a property is unknown, a variable has no value, a regular
  ///   expression is wrong, or the predicate is nested too deeply (`tooComplex`).
  public init(
    _ predicate: FetchPredicate, for entity: EntityDescription, variables: [String: AttributeValue] = [:]
  ) throws {
    try predicate.checkNesting()
    try self.init(predicate.joiningEqualities(), ResolutionScope(entity, variables: variables))
  }

  init(_ predicate: FetchPredicate, _ scope: ResolutionScope) throws {
    node = try Self.resolve(predicate, scope)
  }

  private static func resolve(_ predicate: FetchPredicate, _ scope: ResolutionScope) throws -> Node {
    switch predicate {
    case .constant(let flag): .constant(flag)
    case .comparison(let comparison): .comparison(try ResolvedComparison(comparison, scope))
    case .and(let parts): .and(try parts.map { try resolve($0, scope) })
    case .or(let parts): .or(try parts.map { try resolve($0, scope) })
    case .not(let part): .not(try resolve(part, scope))
    case .kind(let object, let name): try kind(ResolvedObject(object, scope), name)
    }
  }

  private static func kind(_ object: ResolvedObject, _ name: String) throws -> Node {
    guard let root = object.entity?.root else { return .constant(false) }
    if let entity = root.hierarchy.first(where: { $0.name == name }) { return .kind(object, entity) }
    throw QueryError(.unknownKey, "no entity \(name) inherits from \(root.name), so no object there is one")
  }

  /// Whether an object meets the predicate.
  /// - Throws: what reading the object throws.
  public func matches(_ object: any QueryObject) throws -> Bool { try matches([object]) }

  /// The same with the elements of the subqueries around.
  func matches(_ objects: [any QueryObject]) throws -> Bool { try Self.matches(node, objects) }

  private static func matches(_ node: Node, _ objects: [any QueryObject]) throws -> Bool {
    switch node {
    case .constant(let flag): flag
    case .comparison(let comparison): try comparison.matches(objects)
    case .and(let parts): try parts.allSatisfy { try matches($0, objects) }
    case .or(let parts): try parts.contains { try matches($0, objects) }
    case .not(let part): try !matches(part, objects)
    case .kind(let object, let entity): try object.object(objects)?.queryEntity.isKind(of: entity) ?? false
    }
  }
}
