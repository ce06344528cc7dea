import SwiftDiagnostics
import SwiftSyntax

/// The diagnostics for types that cannot be models.
enum ClassDiagnostics {
  static func notAClass(_ declaration: some DeclGroupSyntax) -> Diagnostic {
    let id = "notAClass"
    if declaration.is(EnumDeclSyntax.self) {
      return MacroDiagnostic(
        id: id, message: "a model is a class: store an enum as a Codable property of one"
      ).diagnostic(at: declaration.introducer)
    }
    let isActor = declaration.is(ActorDeclSyntax.self)
    let isStruct = declaration.is(StructDeclSyntax.self)
    let message =
      "a model is a class: write 'final class', or drop '@Model' and store the type as a Codable property"
    return MacroDiagnostic(id: id, message: isActor ? "a model is a class: write 'final class'" : message)
      .diagnostic(
        at: declaration.introducer,
        fixIts: isActor || isStruct
          ? [
            .replacing(
              declaration.introducer, with: "final class",
              "replace '\(declaration.introducer.text)' with 'final class'")
          ] : [])
  }

  static func generic(_ parameters: GenericParameterClauseSyntax) -> Diagnostic {
    MacroDiagnostic(
      id: "generic",
      message: "a model cannot be generic: each model is one entity of the store; use a plain type"
    ).diagnostic(at: parameters)
  }

  static func needsInitializer(_ model: ModelClass) -> Diagnostic {
    let properties = model.needingValue
    let names = properties.map { "'\($0.plainName)'" }.joined(separator: ", ")
    let diagnostic = MacroDiagnostic(
      id: "needsInitializer",
      message: "'\(model.declaration.name.text)' needs an initializer that gives values to \(names)")
    let typed = properties.compactMap { property in
      property.type.map { "\(property.name): \($0.trimmedDescription)" }
    }
    let members = model.declaration.memberBlock
    // The macro cannot see the parameters of the superclass's initializer.
    guard !model.isSubmodel, typed.count == properties.count, let last = members.members.last else {
      return diagnostic.diagnostic(at: model.declaration.name)
    }
    let indentation = members.members.first?.indentation ?? "  "
    let lines = properties.map { "\(indentation)\(indentation)self.\($0.name) = \($0.name)\n" }.joined()
    let access = model.access
    let initializer =
      "\n\n\(indentation)\(access)init(\(typed.joined(separator: ", "))) {\n\(lines)\(indentation)}"
    return diagnostic.diagnostic(
      at: model.declaration.name, fixIts: [.inserting(initializer, after: last, "add an initializer")])
  }
}
