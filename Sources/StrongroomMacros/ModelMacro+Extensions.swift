package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

extension ModelMacro: ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self), declaration.genericParameterClause == nil
    else { return [] }
    let availability = declaration.attributes.compactMap { $0.as(AttributeSyntax.self) }
      .filter { $0.plainName == "available" }.map { $0.trimmedDescription + "\n" }.joined()
    var extensions: [DeclSyntax] = []
    if protocols.contains(where: { $0.lastName == "PersistentModel" }) {
      // `nonisolated` also in modules whose default isolation is the main actor.
      extensions.append(
        "\(raw: availability)nonisolated extension \(type.trimmed): StrongroomData.PersistentModel {}")
    }
    if protocols.contains(where: { $0.lastName == "Sendable" }) {
      extensions.append(
        """
        @available(*, unavailable, message: "a model stays with its context; pass its persistentModelID")
        extension \(type.trimmed): Swift.Sendable {}
        """)
    }
    return extensions.compactMap { $0.as(ExtensionDeclSyntax.self) }
  }
}
