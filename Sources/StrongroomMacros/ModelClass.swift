import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

/// What `@Model` needs to know about its class, read from the syntax once.
struct ModelClass {
  let declaration: ClassDeclSyntax
  /// The properties that the store persists, in order of declaration.
  private(set) var persistent: [ModelProperty] = []
  /// Stored properties of the instance that only an initializer gives a value.
  private(set) var needingValue: [ModelProperty] = []
  private(set) var fates: [ModelProperty.Role] = []
  private(set) var constraints: [MacroExpansionDeclSyntax] = []
  private(set) var hasDesignatedInitializer = false
  /// Whether the class declares its own `==`.
  private(set) var declaresEquality = false
  /// Whether the superclass is a model.
  let isSubmodel: Bool
  private let surroundingAccess: Keyword?
  private let storesConstants: Bool

  init(_ declaration: ClassDeclSyntax, isSubmodel: Bool = false, in context: some MacroExpansionContext) {
    self.declaration = declaration
    self.isSubmodel = isSubmodel
    surroundingAccess = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers.access
    storesConstants = context.storesConstants
    for member in declaration.activeMembers(in: context) { add(member) }
  }

  private mutating func add(_ member: DeclSyntax) {
    if let variable = member.as(VariableDeclSyntax.self) {
      let fate = variable.role(storingConstants: storesConstants)
      fates.append(fate)
      switch fate {
      case .persistent(let property):
        persistent.append(property)
        if property.needsValue { needingValue.append(property) }
      case .persisted(let property):
        if property.needsValue { needingValue.append(property) }
      case .ignored, .refused: break
      }
    } else if let initializer = member.as(InitializerDeclSyntax.self) {
      if initializer.modifiers.first(.convenience) == nil { hasDesignatedInitializer = true }
    } else if let function = member.as(FunctionDeclSyntax.self) {
      if function.isEquality(of: name) { declaresEquality = true }
    } else if let expansion = member.as(MacroExpansionDeclSyntax.self) {
      if ["Unique", "Index"].contains(expansion.macroName.text) { constraints.append(expansion) }
    }
  }

  /// The name as written, including backticks.
  var name: String { declaration.name.text }
  var isFinal: Bool { declaration.modifiers.first(.final) != nil }

  /// Whether the object is a constant, which reading a property need not retain; where classes
  /// inherit from each other, an initialiser may replace it.
  var hasConstantStorage: Bool { isFinal && !isSubmodel }

  /// The index of a property among the persistent ones; nil when it is not persistent.
  func ordinal(of property: ModelProperty) -> Int? {
    persistent.firstIndex { $0.name == property.name }
  }

  /// The access modifier of generated members: that of the class, or of the extension around it.
  var access: String {
    switch declaration.modifiers.access ?? surroundingAccess {
    case .open, .public: return "public "
    case .package: return "package "
    default: return ""
    }
  }

  /// The access modifier of generated members that a subclass overrides.
  var overridableAccess: String { declaration.modifiers.access == .open ? "open " : access }

  /// The modifiers of a generated type property that a subclass overrides.
  var typeMember: String {
    if isSubmodel { return isFinal ? "\(access)override static" : "\(overridableAccess)override class" }
    return isFinal ? "\(access)static" : "\(overridableAccess)class"
  }
}

extension FunctionDeclSyntax {
  /// Whether it is the `==` of two instances of a class.
  fileprivate func isEquality(of name: String) -> Bool {
    let types = signature.parameterClause.parameters.map(\.type.trimmedDescription)
    return self.name.text == "==" && modifiers.first(.static) != nil && types.count == 2
      && types.allSatisfy { $0 == name || $0 == "Self" || $0.hasSuffix(".\(name)") }
  }
}

extension MacroExpansionContext {
  /// Whether a `let` can be persistent; see `VariableDeclSyntax.role(storingConstants:)`.
  var storesConstants: Bool {
    guard let version = buildConfiguration?.languageVersion else { return false }
    return version < VersionTuple(6)
  }
}
