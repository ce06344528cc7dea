import Foundation

/// A node whose value is known now.
protocol KnownNode {
  /// The value, an optional one where it may be missing.
  var known: Any { get }
}

private protocol VariableNode { var key: PredicateExpressions.VariableID { get } }
extension PredicateExpressions.Variable: VariableNode {}

extension PredicateExpressions.Value: KnownNode {
  var known: Any { value }
}

extension PredicateExpressions.NilLiteral: KnownNode {
  var known: Any { Wrapped?.none as Any }
}

extension PredicateTranslator {
  /// The value of a node, where it is known now.
  func known(_ node: Any) -> Any? {
    if let variable = node as? any VariableNode { return elements[variable.key] }
    if let node = node as? any KnownNode { return node.known }
    return Self.computed(node)
  }

  /// The value of a node that makes another one of values known now, as `limits[0]` or `form.name`.
  ///
  /// Nil for another node, and where it has none, as beyond the end of an array.
  static func computed(_ node: Any) -> Any? {
    guard !(node is any KnownNode), canCompute(type(of: node)), let node = node as? any PredicateExpression
    else { return nil }
    return try? node.evaluate(PredicateBindings())
  }
}

/// A node that Foundation can compute without stopping the program, whatever the values are.
private protocol ComputableNode {
  /// Whether what it is made of can be computed.
  static var isComputable: Bool { get }
}

private func canCompute(_ type: Any.Type) -> Bool {
  (type as? any ComputableNode.Type)?.isComputable ?? false
}

extension PredicateExpressions.Value: ComputableNode {
  fileprivate static var isComputable: Bool { true }
}

extension PredicateExpressions.NilLiteral: ComputableNode {
  fileprivate static var isComputable: Bool { true }
}

extension PredicateExpressions.KeyPath: ComputableNode {
  /// Models belong to a context, which a fetch of another one must not read.
  fileprivate static var isComputable: Bool {
    PredicateTranslator.model(Root.Output.self) == nil && canCompute(Root.self)
  }
}

extension PredicateExpressions.ForcedUnwrap: ComputableNode {
  fileprivate static var isComputable: Bool { canCompute(Inner.self) }
}

extension PredicateExpressions.NilCoalesce: ComputableNode {
  fileprivate static var isComputable: Bool {
    canCompute(LHS.self) && canCompute(RHS.self)
  }
}

extension PredicateExpressions.Conditional: ComputableNode {
  fileprivate static var isComputable: Bool {
    canCompute(Test.self) && canCompute(If.self) && canCompute(Else.self)
  }
}

extension PredicateExpressions.CollectionIndexSubscript: ComputableNode {
  fileprivate static var isComputable: Bool {
    canCompute(Wrapped.self) && canCompute(Index.self)
  }
}

extension PredicateExpressions.DictionaryKeySubscript: ComputableNode {
  fileprivate static var isComputable: Bool {
    canCompute(Wrapped.self) && canCompute(Key.self)
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: ComputableNode {
  fileprivate static var isComputable: Bool {
    canCompute(Wrapped.self) && canCompute(Key.self) && canCompute(Default.self)
  }
}
