import SwiftDiagnostics
import SwiftSyntax

/// The diagnostics for properties that a model cannot store.
enum PropertyDiagnostics {
  static func constant(_ property: ModelProperty) -> Diagnostic {
    let specifier = property.declaration.bindingSpecifier
    var fixIts: [FixIt] = [.replacing(specifier, with: "var", "replace 'let' with 'var'")]
    if !property.needsValue { fixIts.append(.markingTransient(property.declaration)) }
    return MacroDiagnostic(
      id: "constant",
      message:
        "a stored property of a model is set when its row is read: declare '\(property.plainName)' as 'var'"
    ).diagnostic(at: specifier, fixIts: fixIts)
  }

  static func transientWithoutValue(_ property: ModelProperty) -> Diagnostic {
    MacroDiagnostic(
      id: "transientWithoutValue",
      message: "'\(property.plainName)' is not stored, so it needs a default value for models that are read"
    ).diagnostic(
      at: property.binding.pattern,
      fixIts: [.inserting(" = <#value#>", after: property.binding, "give it a default value")])
  }

  static func severalBindings(_ declaration: VariableDeclSyntax) -> Diagnostic {
    let remark = MacroDiagnostic(
      id: "severalBindings", message: "declare each stored property of a model in a 'var' of its own")
    let bindings = Array(declaration.bindings)
    guard bindings.allSatisfy({ $0.pattern.is(IdentifierPatternSyntax.self) }) else {
      return remark.diagnostic(at: declaration.bindings)
    }
    let head = declaration.with(\.bindings, []).trimmedDescription
    let lines = bindings.enumerated().map { index, binding in
      var text = binding.pattern.trimmedDescription
      // In `var a, b: Int`, `a` has the type of `b`.
      let typed = binding.initializer == nil ? bindings[index...].first { $0.typeAnnotation != nil } : binding
      if let annotation = typed?.typeAnnotation { text += annotation.trimmedDescription }
      if let value = binding.initializer { text += " " + value.trimmedDescription }
      if let accessors = binding.accessorBlock { text += " " + accessors.trimmedDescription }
      return head.trimmed + " " + text
    }
    let separator = "\n" + declaration.indentation
    return remark.diagnostic(
      at: declaration.bindings,
      fixIts: [.replacing(declaration, with: lines.joined(separator: separator), "split the declaration")])
  }

  /// The reason why a `var` cannot be stored, as far as its syntax shows one.
  static func unstorable(_ property: ModelProperty) -> Diagnostic? {
    let declaration = property.declaration
    let name = property.plainName
    if let modifier = declaration.modifiers.first(.lazy) {
      return MacroDiagnostic(
        id: "lazy", message: "'\(name)' is stored, so it cannot be lazy; give it a value in the initializer"
      ).diagnostic(
        at: modifier,
        fixIts: [.markingTransient(declaration), .removing(modifier, "remove 'lazy'")])
    }
    if let modifier = declaration.modifiers.first(.weak, .unowned) {
      let word = modifier.name.text
      return MacroDiagnostic(
        id: "weak",
        message: "a relationship holds no model in memory by itself, so '\(name)' need not be '\(word)'"
      ).diagnostic(
        at: modifier,
        fixIts: [.removing(modifier, "remove '\(word)'"), .markingTransient(declaration)])
    }
    if let wrapper = declaration.attributes.first(named: "Published") {
      return MacroDiagnostic(
        id: "wrapper", message: "a model is observed as it is: '\(name)' needs no '@Published'"
      ).diagnostic(at: wrapper, fixIts: [.removing(wrapper, "remove '@Published'")])
    }
    if property.plainName == "schemaMetadata" || property.plainName.hasPrefix("_$") {
      return MacroDiagnostic(id: "name", message: "'\(name)' is a name that models need; choose another one")
        .diagnostic(at: property.identifier)
    }
    return property.type.flatMap { unstorable(property, $0) }
  }

  private static func unstorable(_ property: ModelProperty, _ type: TypeSyntax) -> Diagnostic? {
    let name = property.plainName
    switch type.withoutOptional.as(TypeSyntaxEnum.self) {
    case .tupleType:
      return MacroDiagnostic(
        id: "tuple", message: "a tuple cannot be stored: make the type of '\(name)' a struct that is Codable"
      ).diagnostic(at: type, fixIts: property.needsValue ? [] : [.markingTransient(property.declaration)])
    case .functionType, .someOrAnyType:
      let what = type.withoutOptional.is(FunctionTypeSyntax.self) ? "a function" : "a value of any type"
      let advice = "'\(name)' needs a type that is Codable or a model, or '@Transient'"
      return MacroDiagnostic(id: "unstorableType", message: "\(what) cannot be stored: \(advice)")
        .diagnostic(at: type, fixIts: property.needsValue ? [] : [.markingTransient(property.declaration)])
    default: return nil
    }
  }
}

extension TypeSyntax {
  /// The type inside `?`, `!`, attributes and plain parentheses.
  fileprivate var withoutOptional: TypeSyntax {
    if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.withoutOptional }
    if let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return optional.wrappedType.withoutOptional
    }
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.withoutOptional }
    if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
      return only.type.withoutOptional
    }
    return self
  }
}

extension SyntaxProtocol {
  /// The spaces before the first token of the node on its line.
  var indentation: String {
    let pieces = leadingTrivia.pieces.reversed()
    guard let piece = pieces.first else { return "" }
    switch piece {
    case .spaces(let count): return String(repeating: " ", count: count)
    case .tabs(let count): return String(repeating: "\t", count: count)
    default: return ""
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.last?.isWhitespace ?? false { text.removeLast() }
    return String(text)
  }
}
