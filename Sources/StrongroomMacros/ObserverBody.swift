import SwiftSyntax

extension AccessorDeclSyntax {
  /// The statements of an observer, adapted for use in the setter of its property.
  ///
  /// The property is accessed through `self`, since the compiler warns about the bare name in a
  /// setter.
  func observerBody(of property: ModelProperty) -> String {
    guard let statements = body?.statements.trimmed else { return "" }
    let names = LocalNames(viewMode: .sourceAccurate)
    names.walk(statements)
    if parameters?.name.text == property.name || names.found.contains(property.name) {
      return statements.description
    }
    return SelfNaming(name: property.name).rewrite(statements).description
  }
}

private final class SelfNaming: SyntaxRewriter {
  private let name: String

  init(name: String) {
    self.name = name
    super.init()
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    guard node.baseName.text == name, node.argumentNames == nil,
      node.parent?.as(MemberAccessExprSyntax.self)?.declName.id != node.id,
      node.parent?.is(KeyPathPropertyComponentSyntax.self) != true
    else { return ExprSyntax(node) }
    let member = MemberAccessExprSyntax(
      base: DeclReferenceExprSyntax(baseName: .keyword(.self)), name: .identifier(name))
    return ExprSyntax(
      member.with(\.leadingTrivia, node.leadingTrivia).with(\.trailingTrivia, node.trailingTrivia))
  }
}
