import SwiftDiagnostics
import SwiftSyntax

/// A stored property of a model, as declared.
struct ModelProperty {
  let declaration: VariableDeclSyntax
  let binding: PatternBindingSyntax
  let identifier: TokenSyntax

  /// What `@Model` does with a member `var` or `let`.
  enum Role {
    /// Computed, static or overriding: not changed by the macro.
    case ignored
    /// Stored in the instance only.
    case persisted(ModelProperty)
    case persistent(ModelProperty)
    case refused(Diagnostic)
  }

  /// The name as written, including backticks.
  var name: String { identifier.text }
  var plainName: String { identifier.identifier?.name ?? identifier.text }
  /// The name of the member that represents the property while an initializer runs.
  var placeholderName: String { Self.joined("_", plainName) }
  /// The name of the flag that is true while the property's own observers run.
  var observingName: String { Self.joined("_$observing_", plainName) }

  var type: TypeSyntax? { binding.typeAnnotation?.type }
  var defaultValue: ExprSyntax? { binding.initializer?.value }
  var isImplicitlyNil: Bool {
    guard declaration.bindingSpecifier.tokenKind == .keyword(.var), let type else { return false }
    return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
  }
  var needsValue: Bool { defaultValue == nil && !isImplicitlyNil }

  /// Whether a transformer or the value's own coding produces the stored value.
  var isTransformed: Bool {
    let options = declaration.attributes.first(named: "Attribute")?.unlabeledMembers ?? []
    return options.contains("transformable") || options.contains("codable")
  }

  var observers: [AccessorDeclSyntax] {
    guard case .accessors(let accessors)? = binding.accessorBlock?.accessors else { return [] }
    return Array(accessors)
  }

  private static func joined(_ prefix: String, _ name: String) -> String {
    let isPlain = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
    return isPlain ? prefix + name : "`\(prefix)\(name)`"
  }
}

extension VariableDeclSyntax {
  /// The stored property, when the declaration has exactly one.
  var storedProperty: ModelProperty? {
    guard bindings.count == 1, let binding = bindings.first, !binding.isComputed,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    return ModelProperty(declaration: self, binding: binding, identifier: pattern.identifier)
  }

  /// What `@Model` does with the declaration.
  ///
  /// - `storingConstants`: Whether the compiler accepts a macro's accessors on a `let`, as it does
  ///   before the Swift 6 language mode. Constants are then persistent, as in SwiftData.
  func role(storingConstants: Bool) -> ModelProperty.Role {
    if modifiers.first(.static, .class, .override) != nil { return .ignored }
    if bindings.allSatisfy(\.isComputed) { return .ignored }
    let isTransient = attributes.first(named: "Transient") != nil
    guard let property = storedProperty else {
      let areConstants =
        bindingSpecifier.tokenKind == .keyword(.let) && bindings.allSatisfy { $0.initializer != nil }
      return isTransient || areConstants ? .ignored : .refused(PropertyDiagnostics.severalBindings(self))
    }
    if isTransient {
      return property.needsValue
        ? .refused(PropertyDiagnostics.transientWithoutValue(property)) : .persisted(property)
    }
    if bindingSpecifier.tokenKind == .keyword(.let), !storingConstants {
      if property.defaultValue?.isPlainLiteral ?? false { return .persisted(property) }
      return .refused(PropertyDiagnostics.constant(property))
    }
    if let refusal = PropertyDiagnostics.unstorable(property) { return .refused(refusal) }
    return .persistent(property)
  }
}

extension PatternBindingSyntax {
  /// Whether the property has accessors other than observers.
  var isComputed: Bool {
    switch accessorBlock?.accessors {
    case nil: return false
    case .getter: return true
    case .accessors(let accessors):
      return !accessors.allSatisfy {
        [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
      }
    }
  }
}

extension ExprSyntax {
  /// Whether the expression is a literal, which has the same value in every instance.
  fileprivate var isPlainLiteral: Bool {
    switch kind {
    case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr,
      .simpleStringLiteralExpr:
      return true
    case .stringLiteralExpr:
      return self.as(StringLiteralExprSyntax.self)?.representedLiteralValue != nil
    case .prefixOperatorExpr:
      return self.as(PrefixOperatorExprSyntax.self)?.expression.isPlainLiteral ?? false
    default: return false
    }
  }
}
