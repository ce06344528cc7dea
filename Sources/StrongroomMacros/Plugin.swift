import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plugin that provides the macros.
@main
struct StrongroomPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ModelMacro.self, PersistedPropertyMacro.self, PropertyMarkerMacro.self, ConstraintMarkerMacro.self,
    ModelActorMacro.self, PredicateMacro.self, RecordMacro.self,
  ]
}
