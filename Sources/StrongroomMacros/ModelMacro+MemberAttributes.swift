package import SwiftSyntax
package import SwiftSyntaxMacros

extension ModelMacro: MemberAttributeMacro {
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self), declaration.genericParameterClause == nil,
      let variable = member.as(VariableDeclSyntax.self),
      case .persistent(let property) = variable.role(storingConstants: context.storesConstants),
      variable.attributes.first(named: "_PersistedProperty") == nil,
      let ordinal = ModelClass(declaration, in: context).ordinal(of: property)
    else { return [] }
    return ["@_PersistedProperty(\(raw: ordinal))"]
  }
}
