package import SwiftSyntax
package import SwiftSyntaxMacros

/// `#Predicate` of a model: Foundation's, which on Linux does not know `evaluate(_:)`.
///
/// `isLong.evaluate(trip)` becomes `isLong[trip]`, which Foundation's macro takes of a captured name only.
/// What is no name is evaluated before: `filters[0].evaluate(trip)` becomes `asked[trip]` after
/// `let asked = filters[0]`. All else stays as it is.
package enum PredicateMacro: ExpressionMacro {
  package static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> ExprSyntax {
    let names = LocalNames(viewMode: .sourceAccurate)
    names.walk(node)
    let rewriter = EvaluateRewriter(bound: names.found) { context.makeUniqueName($0) }
    var call = MacroExpansionExprSyntax(
      macroName: "_FoundationPredicate", genericArgumentClause: node.genericArgumentClause,
      leftParen: node.leftParen, arguments: node.arguments, rightParen: node.rightParen,
      trailingClosure: node.trailingClosure)
    call.arguments = rewriter.rewrite(call.arguments).cast(LabeledExprListSyntax.self)
    call.trailingClosure = call.trailingClosure.map {
      rewriter.rewrite($0).cast(ClosureExprSyntax.self)
    }
    if rewriter.asked.isEmpty { return ExprSyntax(call) }
    let statements = rewriter.asked.map { "let \($0.name) = \($0.value.trimmed)\n" }.joined()
    return "{\n\(raw: statements)return \(call)\n}()"
  }
}

/// Writes calls of `evaluate` as subscripts of names.
private final class EvaluateRewriter: SyntaxRewriter {
  /// What is no name, in the order in which it is asked.
  private(set) var asked: [(name: TokenSyntax, value: ExprSyntax)] = []
  private let bound: Set<String>
  private let makeName: (String) -> TokenSyntax

  init(bound: Set<String>, makeName: @escaping (String) -> TokenSyntax) {
    self.bound = bound
    self.makeName = makeName
  }

  override func visit(_ call: FunctionCallExprSyntax) -> ExprSyntax {
    let visited = super.visit(call)
    guard let call = visited.as(FunctionCallExprSyntax.self), call.trailingClosure == nil,
      let member = call.calledExpression.as(MemberAccessExprSyntax.self), let asked = member.base,
      member.declName.baseName.text == "evaluate", !call.arguments.isEmpty,
      call.arguments.allSatisfy({ $0.label == nil })
    else { return visited }
    return ExprSyntax(
      SubscriptCallExprSyntax(
        calledExpression: named(asked), arguments: call.arguments, trailingTrivia: call.trailingTrivia))
  }

  /// A name for what is asked, unless it is one, or depends on what the predicate is asked about.
  private func named(_ value: ExprSyntax) -> ExprSyntax {
    if value.is(DeclReferenceExprSyntax.self) { return value }
    let isKnownBefore = value.tokens(viewMode: .sourceAccurate).allSatisfy {
      !bound.contains($0.text) && !$0.text.hasPrefix("$")
    }
    guard isKnownBefore else { return value }
    let name = makeName("asked")
    asked.append((name, value))
    return ExprSyntax(
      DeclReferenceExprSyntax(
        leadingTrivia: value.leadingTrivia, baseName: name, trailingTrivia: value.trailingTrivia))
  }
}
