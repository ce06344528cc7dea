import Foundation
import Locks
import ObjectModel

/// The translations of Foundation predicates, so that each is made once a shape and only gets its
/// values at the next fetch.
final class TranslationCache: Sendable {
  static let shared = TranslationCache()

  private struct Key: Hashable {
    /// The type of the whole tree of nodes.
    let tree: ObjectIdentifier
    let values: ObjectIdentifier
  }

  private struct Translation: @unchecked Sendable {
    // @unchecked: the key paths of properties hold nothing that changes.
    let shape: PredicateShape
    let predicate: FetchPredicate
  }

  /// None for a tree whose translation depends on more than its shape.
  private let translations = Locked<[Key: [Translation]]>([:])
  private static let most = 512

  /// The translation of a predicate; `make` where no other of its shape was translated before.
  func predicate<Root>(
    _ predicate: Predicate<Root>, values: any PredicateValues, make: () throws(QueryError) -> FetchPredicate
  ) throws(QueryError) -> FetchPredicate {
    let tree = predicate.expression
    let key = Key(tree: ObjectIdentifier(type(of: tree)), values: ObjectIdentifier(type(of: values)))
    let known = translations.withLock { $0[key] }
    guard known?.isEmpty != true, let node = tree as? any ShapedNode else { return try make() }
    var shape = PredicateShape()
    node.collectCondition(into: &shape)
    guard shape.isComplete else { return try make() }
    if let translation = known?.first(where: { $0.shape.hasSamePaths(as: shape) }) {
      var next = shape.constants.makeIterator()
      return translation.predicate.replacingConstants { _ in next.next() ?? .null }
    }
    let made = try make()
    var constants: [AttributeValue] = []
    _ = made.replacingConstants { constant in
      constants.append(constant)
      return constant
    }
    // What stands elsewhere or in another form is no plain constant, and JSON has forms of its own.
    let isPlain = shape.keyPaths.allSatisfy {
      let owner = type(of: $0).rootType
      return owner == Root.self || owner is any QueryableModel.Type
    }
    let isServing = isPlain && constants == shape.constants
    add(isServing ? Translation(shape: shape, predicate: made) : nil, for: key)
    return made
  }

  private func add(_ translation: Translation?, for key: Key) {
    translations.withLock { all in
      if all.count >= Self.most { all.removeAll() }
      guard let translation else { return all[key] = [] }
      // Trees of one type differ in the properties that they name.
      if all[key, default: []].count >= Self.most { all[key] = [] }
      all[key, default: []].append(translation)
    }
  }
}

extension FetchPredicate {
  /// The predicate with other constants, in their order; one that is a side of a comparison counts.
  fileprivate func replacingConstants(_ other: (AttributeValue) -> AttributeValue) -> FetchPredicate {
    switch self {
    case .constant, .kind: return self
    case .comparison(var comparison):
      if case .value(let value) = comparison.left { comparison.left = .value(other(value)) }
      if case .value(let value) = comparison.right { comparison.right = .value(other(value)) }
      return .comparison(comparison)
    case .and(let parts): return .and(parts.map { $0.replacingConstants(other) })
    case .or(let parts): return .or(parts.map { $0.replacingConstants(other) })
    case .not(let part): return .not(part.replacingConstants(other))
    }
  }
}
