import StrongroomMacros
import SwiftDiagnostics
import SwiftIfConfig
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Checks what a source expands to, and that nothing is said about it.
///
/// - `missing`: the protocols that the compiler would find missing; none under a superclass that is
///   a model.
func expectExpansion(
  _ source: String, _ expanded: String,
  missing: [TypeSyntax] = ["PersistentModel", "Sendable"], languageVersion: Int = 6,
  location: Testing.SourceLocation = #_sourceLocation
) {
  let markers: any Macro.Type = PropertyMarkerMacro.self
  assertMacroExpansion(
    source, expandedSource: expanded,
    macroSpecs: [
      "Model": MacroSpec(type: ModelMacro.self, conformances: missing),
      "_PersistedProperty": MacroSpec(type: PersistedPropertyMacro.self),
      "Attribute": MacroSpec(type: markers), "Relationship": MacroSpec(type: markers),
      "Transient": MacroSpec(type: markers),
      "Unique": MacroSpec(type: ConstraintMarkerMacro.self),
      "Index": MacroSpec(type: ConstraintMarkerMacro.self),
      "ModelActor": MacroSpec(type: ModelActorMacro.self, conformances: ["ModelActor"]),
      "Record": MacroSpec(type: RecordMacro.self, conformances: ["Record"]),
      "PrimaryKey": MacroSpec(type: markers), "Column": MacroSpec(type: markers),
    ],
    indentationWidth: .spaces(2),
    buildConfiguration: StaticBuildConfiguration(
      customConditions: ["CHOSEN"], languageVersion: VersionTuple(languageVersion),
      compilerVersion: VersionTuple(6, 1)),
    failureHandler: { failure in
      Issue.record("\(failure.message)", sourceLocation: location)
    })
}

/// Checks the one thing that is said about a source and, with `fixed`, what a mend makes of it; not
/// the expansion.
func expectRemark(
  _ message: String, severity: DiagnosticSeverity = .error, mends: [String] = [],
  applying mend: String? = nil,
  to source: String, fixed: String? = nil, location: Testing.SourceLocation = #_sourceLocation
) throws {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "test.swift")])
  let group = try #require(
    file.statements.first?.item.asProtocol((any DeclGroupSyntax).self), sourceLocation: location)
  let attribute = try #require(group.attributes.first?.as(AttributeSyntax.self), sourceLocation: location)
  let macro: any MemberMacro.Type =
    attribute.attributeName.trimmedDescription == "ModelActor" ? ModelActorMacro.self : ModelMacro.self
  _ = try macro.expansion(
    of: attribute, providingMembersOf: group, conformingTo: ["PersistentModel"], in: context)
  let diagnostic = try #require(context.diagnostics.first, "nothing was said", sourceLocation: location)
  #expect(context.diagnostics.count == 1, sourceLocation: location)
  #expect(diagnostic.message == message, sourceLocation: location)
  #expect(diagnostic.diagMessage.severity == severity, sourceLocation: location)
  #expect(diagnostic.fixIts.map(\.message.message) == mends, sourceLocation: location)
  guard let mend = mend ?? mends.first else { return }
  let fixIt = try #require(diagnostic.fixIts.first { $0.message.message == mend }, sourceLocation: location)
  var bytes = Array(source.utf8)
  for edit in fixIt.edits.reversed() {
    bytes.replaceSubrange(
      edit.range.lowerBound.utf8Offset..<edit.range.upperBound.utf8Offset, with: edit.replacement.utf8)
  }
  #expect(String(decoding: bytes, as: UTF8.self) == fixed, sourceLocation: location)
}
