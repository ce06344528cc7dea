import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros that the compiler finds in this plugin.
@main
struct StrongroomPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ModelMacro.self, PersistedPropertyMacro.self, PropertyMarkerMacro.self, ConstraintMarkerMacro.self,
    ModelActorMacro.self, RecordMacro.self,
  ]
}
