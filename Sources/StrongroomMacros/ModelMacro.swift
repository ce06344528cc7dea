package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Model`: turns a class into one whose properties are stored in an object of the engine.
///
/// Members, attributes of members, and extensions have a file each.
package enum ModelMacro {}

/// `@Attribute`, `@Relationship` and `@Transient`: expand to nothing; `@Model` reads them.
package enum PropertyMarkerMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}

/// `#Unique` and `#Index`: expand to nothing; `@Model` reads them.
package enum ConstraintMarkerMacro: DeclarationMacro {
  package static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}
