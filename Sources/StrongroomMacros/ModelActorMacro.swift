import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@ModelActor`: gives an actor its own context and runs it on that context's executor.
package enum ModelActorMacro {}

extension ModelActorMacro: MemberMacro {
  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self) else {
      let introducer = declaration.introducer
      let fixIts: [FixIt] =
        declaration.is(ClassDeclSyntax.self) || declaration.is(StructDeclSyntax.self)
        ? [.replacing(introducer, with: "actor", "replace '\(introducer.text)' with 'actor'")] : []
      context.diagnose(
        MacroDiagnostic(id: "notAnActor", message: "'@ModelActor' stands before an actor: write 'actor'")
          .diagnostic(at: introducer, fixIts: fixIts))
      return []
    }
    let members = declaration.activeMembers(in: context)
    let variables = members.compactMap { $0.as(VariableDeclSyntax.self) }
    let names = variables.flatMap { $0.bindings.map(\.pattern.trimmedDescription) }
    let access = accessText(declaration, in: context)
    var result: [DeclSyntax] = []
    if !names.contains("modelExecutor") {
      result.append("\(raw: access)nonisolated let modelExecutor: any StrongroomData.ModelExecutor")
    }
    if !names.contains("modelContainer") {
      result.append("\(raw: access)nonisolated let modelContainer: StrongroomData.ModelContainer")
    }
    // Stored properties without a value need an initializer of the actor's own.
    let needsValue = variables.contains { variable in
      guard variable.modifiers.first(.static) == nil else { return false }
      return variable.storedProperty?.needsValue ?? false
    }
    let isWritten = members.contains {
      $0.as(InitializerDeclSyntax.self)?.isOfContainerAlone ?? false
    }
    if result.count == 2, !needsValue, !isWritten {
      result.append(
        """
        \(raw: access)init(modelContainer: StrongroomData.ModelContainer) {
          let modelContext = StrongroomData.ModelContext(modelContainer)
          self.modelExecutor = StrongroomData.DefaultSerialModelExecutor(modelContext: modelContext)
          self.modelContainer = modelContainer
        }
        """)
    }
    return result
  }

  private static func accessText(
    _ declaration: some DeclGroupSyntax, in context: some MacroExpansionContext
  ) -> String {
    let around = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers.access
    switch declaration.modifiers.access ?? around {
    case .public: return "public "
    case .package: return "package "
    default: return ""
    }
  }
}

extension ModelActorMacro: ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(ActorDeclSyntax.self), !protocols.isEmpty else { return [] }
    let conformance: DeclSyntax = "extension \(type.trimmed): StrongroomData.ModelActor {}"
    return [conformance.cast(ExtensionDeclSyntax.self)]
  }
}

extension InitializerDeclSyntax {
  fileprivate var isOfContainerAlone: Bool {
    let parameters = signature.parameterClause.parameters
    return parameters.count == 1 && parameters.first?.firstName.text == "modelContainer"
  }
}
