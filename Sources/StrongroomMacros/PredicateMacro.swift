package import SwiftSyntax
package import SwiftSyntaxMacros

/// `#Predicate` of a model: Foundation's, which on Linux does not know `evaluate(_:)`.
///
/// `isLong.evaluate(trip)` becomes `isLong[trip]`, which Foundation's macro takes; all else stays as it is.
package enum PredicateMacro: ExpressionMacro {
  package static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) -> ExprSyntax {
    let rewriter = EvaluateRewriter()
    var call = MacroExpansionExprSyntax(
      macroName: "_FoundationPredicate", genericArgumentClause: node.genericArgumentClause,
      leftParen: node.leftParen, arguments: node.arguments, rightParen: node.rightParen,
      trailingClosure: node.trailingClosure)
    call.arguments = rewriter.rewrite(call.arguments).cast(LabeledExprListSyntax.self)
    call.trailingClosure = call.trailingClosure.map {
      rewriter.rewrite($0).cast(ClosureExprSyntax.self)
    }
    return ExprSyntax(call)
  }
}

/// Writes calls of `evaluate` as subscripts.
private final class EvaluateRewriter: SyntaxRewriter {
  override func visit(_ call: FunctionCallExprSyntax) -> ExprSyntax {
    let visited = super.visit(call)
    guard let call = visited.as(FunctionCallExprSyntax.self), call.trailingClosure == nil,
      let member = call.calledExpression.as(MemberAccessExprSyntax.self), let asked = member.base,
      member.declName.baseName.text == "evaluate", !call.arguments.isEmpty,
      call.arguments.allSatisfy({ $0.label == nil })
    else { return visited }
    return ExprSyntax(
      SubscriptCallExprSyntax(
        calledExpression: asked, arguments: call.arguments, trailingTrivia: call.trailingTrivia))
  }
}
