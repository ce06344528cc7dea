package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Model`: turns a class into one that keeps its properties in an object of the engine.
///
/// The parts are in one file each: members, attributes of members, extensions.
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
