import SwiftDiagnostics
import SwiftSyntax

/// A stored property of a model, as its declaration says.
struct ModelProperty {
  let declaration: VariableDeclSyntax
  let binding: PatternBindingSyntax
  let identifier: TokenSyntax

  /// What `@Model` does with a member `var` or `let`.
  enum Role {
    /// Computed, static or overriding: no business of ours.
    case ignored
    /// Stored in the instance alone.
    case persisted(ModelProperty)
    case persistent(ModelProperty)
    case refused(Diagnostic)
  }

  /// The name with the backticks it was written with.
  var name: String { identifier.text }
  var plainName: String { identifier.identifier?.name ?? identifier.text }
  /// The name of the member that stands for the property while an initializer runs.
  var placeholderName: String { Self.joined("_", plainName) }
  /// Tells that the property's own observers run.
  var observingName: String { Self.joined("_$observing_", plainName) }

  var type: TypeSyntax? { binding.typeAnnotation?.type }
  var defaultValue: ExprSyntax? { binding.initializer?.value }
  var isImplicitlyNil: Bool {
    guard declaration.bindingSpecifier.tokenKind == .keyword(.var), let type else { return false }
    return type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
  }
  var needsValue: Bool { defaultValue == nil && !isImplicitlyNil }

  /// Whether a transformer makes what is stored.
  var isTransformed: Bool {
    declaration.attributes.first(named: "Attribute")?.argumentText.contains("transformable(") ?? false
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
  /// The property when the declaration has just one that is stored.
  var storedProperty: ModelProperty? {
    guard bindings.count == 1, let binding = bindings.first, !binding.isComputed,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    return ModelProperty(declaration: self, binding: binding, identifier: pattern.identifier)
  }

  /// What `@Model` does with the declaration.
  /// - Parameter storingConstants: whether the compiler lets a `let` have accessors from a macro, as it does before the Swift 6
  ///   language mode; then they are stored like variables, as SwiftData has it.
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
  /// Whether reading runs code of the user's; observers do not count.
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
  /// A literal is the same for every instance.
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
