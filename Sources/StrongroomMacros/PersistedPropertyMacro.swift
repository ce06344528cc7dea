package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

/// `@_PersistedProperty(ordinal)`: accessors that read and write the engine's object, and a
/// zero-sized member that represents the property while an initializer runs.
package enum PersistedPropertyMacro {}

extension PersistedPropertyMacro: PeerMacro {
  package static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let property = declaration.as(VariableDeclSyntax.self)?.storedProperty else { return [] }
    let placeholder: DeclSyntax =
      "private var \(raw: property.placeholderName): StrongroomData._Placeholder"
    if property.observers.isEmpty { return [placeholder] }
    return [placeholder, "private var \(raw: property.observingName) = false"]
  }
}

extension PersistedPropertyMacro: AccessorMacro {
  package static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let property = declaration.as(VariableDeclSyntax.self)?.storedProperty,
      case .argumentList(let arguments)? = node.arguments,
      let ordinal = arguments.first?.expression.trimmedDescription,
      let model = context.lexicalContext.first?.as(ClassDeclSyntax.self)?.name.text
    else { return [] }
    let place = "\(model)._$indexes, \(ordinal)"
    // A transformer encodes every type, including those with their own stored form.
    let form = property.isTransformed ? "Coded" : ""
    let write = "_$object.write\(form)(self, \\.\(property.name), \(place), newValue)"
    return [
      """
      @storageRestrictions(accesses: _$storage, initializes: \(raw: property.placeholderName))
      init(initialValue) {
        _$storage.initialize\(raw: form)(\(raw: place), initialValue)
        \(raw: property.placeholderName) = StrongroomData._Placeholder()
      }
      """,
      """
      get {
        _$object.read\(raw: form)(self, \\.\(raw: property.name), \(raw: place))
      }
      """,
      property.observers.isEmpty
        ? """
        set {
          \(raw: write)
        }
        """ : observedSetter(property, write: write),
    ]
  }

  /// A setter that calls the observers.
  ///
  /// As in Swift, an observer's own assignments do not call them.
  private static func observedSetter(_ property: ModelProperty, write: String) -> AccessorDeclSyntax {
    var before: [String] = []
    var after: [String] = []
    for observer in property.observers {
      let body = observer.observerBody(of: property)
      let parameter = observer.parameters?.name.text
      if observer.accessorSpecifier.tokenKind == .keyword(.willSet) {
        before.append("_ = { (\(parameter ?? "newValue")) -> Swift.Void in\n\(body)\n}(newValue)")
      } else {
        // The old value is read only where it is used.
        let usesOld = parameter != nil || body.contains("oldValue")
        if usesOld { before.insert("let _$old = self.\(property.name)", at: 0) }
        let head = usesOld ? "(\(parameter ?? "oldValue")) -> Swift.Void in" : "() -> Swift.Void in"
        after.append("_ = { \(head)\n\(body)\n}(\(usesOld ? "_$old" : ""))")
      }
    }
    return """
      set {
        if \(raw: property.observingName) {
          \(raw: write)
          return
        }
        \(raw: property.observingName) = true
        defer {
          \(raw: property.observingName) = false
        }
        \(raw: (before + [write] + after).joined(separator: "\n"))
      }
      """
  }
}
