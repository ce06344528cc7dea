import SwiftDiagnostics
package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@Record`: declares a struct's primary key and its columns' options.
package enum RecordMacro: ExtensionMacro {
  package static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard let owner = declaration.as(StructDeclSyntax.self) else {
      context.diagnose(
        MacroDiagnostic(
          id: "notAStruct", message: "a record is a struct: write 'struct', or '@Model' before a class"
        )
        .diagnostic(at: declaration.introducer))
      return []
    }
    let properties = owner.activeMembers(in: context).flatMap(RecordProperty.all)
    let marked = properties.filter(\.isKey)
    if marked.count > 1 {
      context.diagnose(
        MacroDiagnostic(id: "severalKeys", message: "a record has one primary key").diagnostic(
          at: marked[1].declaration))
      return []
    }
    guard let key = marked.first ?? properties.first(where: { $0.name == "id" }) else {
      context.diagnose(
        MacroDiagnostic(
          id: "noKey",
          message:
            "mark the property that identifies a '\(owner.name.text)' with '@PrimaryKey', or call it 'id'"
        ).diagnostic(at: owner.name))
      return []
    }
    guard let keyType = key.type else {
      context.diagnose(
        MacroDiagnostic(id: "untypedKey", message: "write the type of the primary key '\(key.name)'")
          .diagnostic(at: key.declaration))
      return []
    }
    let access = owner.modifiers.access.flatMap {
      [.public, .package].contains($0) ? "\(TokenSyntax.keyword($0)) " : nil
    }
    var members = [
      "static var primaryKey: Swift.KeyPath<\(type.trimmed), \(keyType)> { \\.\(key.name) }"
    ]
    if let name = node.argument("originalName") {
      members.append("static var originalTableName: Swift.String? { \(name) }")
    }
    let columns = properties.compactMap { $0.column(isKey: $0.name == key.name) }
    if !columns.isEmpty {
      let list = columns.joined(separator: ",\n")
      members.append(
        "static var columns: [StrongroomRecords.RecordColumn<\(type.trimmed)>] {\n[\n\(list)\n]\n}")
    }
    let body = members.map { (access ?? "") + $0 }.joined(separator: "\n")
    let conformance = protocols.isEmpty ? "" : ": StrongroomRecords.Record"
    return [try ExtensionDeclSyntax("extension \(type.trimmed)\(raw: conformance) {\n\(raw: body)\n}")]
  }
}

/// A stored property of a record, as declared.
private struct RecordProperty {
  let declaration: VariableDeclSyntax
  let name: String
  let type: String?
  let defaultValue: ExprSyntax?

  var isKey: Bool { declaration.attributes.first(named: "PrimaryKey") != nil }

  static func all(_ member: DeclSyntax) -> [RecordProperty] {
    guard let declaration = member.as(VariableDeclSyntax.self),
      declaration.modifiers.first(.static, .lazy) == nil
    else { return [] }
    let isVariable = declaration.bindingSpecifier.tokenKind == .keyword(.var)
    return declaration.bindings.compactMap { binding in
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self), binding.isStored else { return nil }
      return RecordProperty(
        declaration: declaration, name: name.identifier.text,
        type: binding.typeAnnotation?.type.trimmedDescription,
        defaultValue: isVariable ? binding.initializer?.value : nil)
    }
  }

  /// The column's description in source text; nil when it has no options.
  func column(isKey: Bool) -> String? {
    var arguments = ["\\.\(name)"]
    if !isKey, let defaultValue, defaultValue.isConstant {
      arguments.append("default: \(defaultValue.trimmed)")
    }
    let column = declaration.attributes.first(named: "Column")
    for label in ["originalName", "indexed"] {
      if let value = column?.argument(label) { arguments.append("\(label): \(value)") }
    }
    return arguments.count > 1 ? "StrongroomRecords.RecordColumn(\(arguments.joined(separator: ", ")))" : nil
  }
}

extension AttributeSyntax {
  /// The source text of an argument.
  fileprivate func argument(_ label: String) -> String? {
    guard case .argumentList(let list)? = arguments else { return nil }
    return list.first { $0.label?.text == label }?.expression.trimmedDescription
  }
}

extension PatternBindingSyntax {
  /// Whether the property has storage: no accessors other than observers.
  fileprivate var isStored: Bool {
    guard let accessorBlock else { return true }
    guard case .accessors(let accessors) = accessorBlock.accessors else { return false }
    return accessors.allSatisfy {
      [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
    }
  }
}

extension ExprSyntax {
  /// Whether the expression has the same value at every evaluation.
  ///
  /// A default that is created anew each time would give all existing rows one value.
  fileprivate var isConstant: Bool {
    if self.is(IntegerLiteralExprSyntax.self) || self.is(FloatLiteralExprSyntax.self)
      || self.is(BooleanLiteralExprSyntax.self)
    {
      return true
    }
    if let text = self.as(StringLiteralExprSyntax.self) {
      return text.segments.allSatisfy { $0.is(StringSegmentSyntax.self) }
    }
    if let negative = self.as(PrefixOperatorExprSyntax.self) { return negative.expression.isConstant }
    if let list = self.as(ArrayExprSyntax.self) { return list.elements.allSatisfy(\.expression.isConstant) }
    if let table = self.as(DictionaryExprSyntax.self) {
      guard case .elements(let elements) = table.content else { return true }
      return elements.allSatisfy { $0.key.isConstant && $0.value.isConstant }
    }
    // An implicit member may be a case, or a new value each time, such as `.now`, the common one.
    if let member = self.as(MemberAccessExprSyntax.self), member.base == nil {
      return member.declName.baseName.text != "now"
    }
    return false
  }
}
