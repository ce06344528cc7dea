import SwiftSyntax

extension AttributeListSyntax {
  /// The first attribute with a name, with or without a module before it.
  func first(named name: String) -> AttributeSyntax? {
    for element in self {
      if let attribute = element.as(AttributeSyntax.self), attribute.plainName == name { return attribute }
    }
    return nil
  }
}

extension AttributeSyntax {
  /// The name without a module before it.
  var plainName: String {
    if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
    return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
  }

  /// The source text of the arguments, without the parentheses.
  var argumentText: String {
    guard case .argumentList(let list)? = arguments else { return "" }
    return list.trimmedDescription
  }

  /// The names of the members that the arguments without a label are, called or not.
  var unlabeledMembers: [String] {
    guard case .argumentList(let list)? = arguments else { return [] }
    return list.filter { $0.label == nil }.compactMap { argument in
      let called = argument.expression.as(FunctionCallExprSyntax.self)?.calledExpression
      return (called ?? argument.expression).as(MemberAccessExprSyntax.self)?.declName.baseName.text
    }
  }
}

extension DeclModifierListSyntax {
  func first(_ keywords: Keyword...) -> DeclModifierSyntax? {
    first { modifier in keywords.contains { modifier.name.tokenKind == .keyword($0) } }
  }

  /// The access level of the declaration; a setter's own access level does not count.
  var access: Keyword? {
    for modifier in self where modifier.detail == nil {
      switch modifier.name.tokenKind {
      case .keyword(let word)
      where [.open, .public, .package, .internal, .fileprivate, .private].contains(word):
        return word
      default: continue
      }
    }
    return nil
  }
}
