package import SwiftSyntax
import SwiftSyntaxBuilder
package import SwiftSyntaxMacros

extension ModelMacro: MemberMacro {
  package static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(ClassDeclSyntax.self) else {
      context.diagnose(ClassDiagnostics.notAClass(declaration))
      return []
    }
    if let parameters = declaration.genericParameterClause {
      context.diagnose(ClassDiagnostics.generic(parameters))
      return []
    }
    let model = ModelClass(
      declaration, isSubmodel: isSubmodel(declaration, missing: protocols), in: context)
    for case .refused(let diagnostic) in model.fates { context.diagnose(diagnostic) }
    if !model.hasDesignatedInitializer, !model.needingValue.isEmpty {
      context.diagnose(ClassDiagnostics.needsInitializer(model))
    }
    return members(of: model)
  }

  /// Whether the superclass is a model: a conformance that is not missing is inherited, unless the
  /// class names the protocol itself.
  private static func isSubmodel(_ declaration: ClassDeclSyntax, missing: [TypeSyntax]) -> Bool {
    guard let inherited = declaration.inheritanceClause?.inheritedTypes else { return false }
    let isMissing = missing.contains { $0.lastName == "PersistentModel" }
    return !isMissing && !inherited.contains { $0.type.lastName == "PersistentModel" }
  }

  private static func members(of model: ModelClass) -> [DeclSyntax] {
    let name = model.name
    let binding = model.hasConstantStorage ? "let" : "var"
    let detached = "StrongroomData.ModelObject.detached(\(name).self)"
    var members: [DeclSyntax] = [
      "private static let _$indexes = StrongroomData.ModelPropertyIndexes(\(raw: name).self)",
      """
      private \(raw: binding) _$storage: StrongroomData.ModelObject = \(raw: detached)
      """,
      objectProperty(model),
    ]
    if !model.isSubmodel {
      members.append(
        """
        private var _$observationRegistrar: StrongroomData.ObservationRegistrar {
          _$object.observationRegistrar
        }
        """)
    }
    members.append(contentsOf: initializers(model))
    members.append(metadata(model))
    members.append(constraints(model))
    if model.declaresEquality, !model.isSubmodel {
      // With the conformance in a macro's extension, the compiler finds the class's `==` twice and
      // rejects it as ambiguous.
      members.append(
        """
        @_implements(Swift.Equatable, ==(_:_:))
        \(raw: model.access)static func _$equals(_ left: \(raw: name), _ right: \(raw: name)) -> Swift.Bool {
          left == right
        }
        """)
    }
    return members
  }

  private static func objectProperty(_ model: ModelClass) -> DeclSyntax {
    if model.isSubmodel {
      return """
        \(raw: model.overridableAccess)override var _$object: StrongroomData.ModelObject {
          StrongroomData.ModelObject.joined(&_$storage, super._$object)
        }
        """
    }
    return """
      \(raw: model.isFinal ? model.access : model.overridableAccess)var _$object: StrongroomData.ModelObject {
        _$storage
      }
      """
  }

  private static func initializers(_ model: ModelClass) -> [DeclSyntax] {
    var initializers: [DeclSyntax] = []
    if !model.hasDesignatedInitializer {
      // The initializer below prevents the implicit `init()` and the inheritance of the
      // superclass's.
      if model.isSubmodel { return [] }
      if model.needingValue.isEmpty { initializers.append("init() {}") }
    }
    var lines = model.persistent.map { "\($0.placeholderName) = StrongroomData._Placeholder()" }
    // A constant takes the object by its default value.
    if !model.hasConstantStorage { lines.append("_$storage = object") }
    if model.isSubmodel {
      lines.append("super.init(_$object: object.forSuperclass(of: \(model.name).self))")
    }
    let body = lines.isEmpty ? "{}" : "{\n  \(lines.joined(separator: "\n  "))\n}"
    initializers.append(
      "\(raw: model.access)required init(_$object object: StrongroomData.ModelObject) \(raw: body)")
    return initializers
  }

  /// One statement per property: the type checker would treat a long array as one expression.
  private static func metadata(_ model: ModelClass) -> DeclSyntax {
    let lines = model.persistent.map { property in
      let attributes = property.declaration.attributes
      let marker = attributes.first(named: "Relationship") ?? attributes.first(named: "Attribute")
      let metadata =
        marker.map { "StrongroomData.Schema.\($0.plainName)(\($0.argumentText))" } ?? "nil"
      let value = property.defaultValue.map { "default: \($0.trimmedDescription), " } ?? ""
      return """
        _$properties.append(StrongroomData.Schema.PropertyMetadata(name: "\(property.plainName)", \
        keypath: \\\(model.name).\(property.name), \(value)metadata: \(metadata)))
        """
    }
    let type = "[StrongroomData.Schema.PropertyMetadata]"
    if lines.isEmpty {
      return "\(raw: model.typeMember) var schemaMetadata: \(raw: type) { [] }"
    }
    return """
      \(raw: model.typeMember) var schemaMetadata: \(raw: type) {
        var _$properties: \(raw: type) = []
        \(raw: lines.joined(separator: "\n  "))
        return _$properties
      }
      """
  }

  private static func constraints(_ model: ModelClass) -> DeclSyntax {
    let values = model.constraints.map { constraint in
      let arguments = constraint.arguments.trimmedDescription
      return "StrongroomData.Schema.\(constraint.macroName.text)<\(model.name)>(\(arguments))"
    }
    return """
      \(raw: model.typeMember) var _$constraints: [any StrongroomData.SchemaConstraint] {
        [\(raw: values.joined(separator: ", "))]
      }
      """
  }
}

extension TypeSyntax {
  /// The last component of the type's name.
  var lastName: String? {
    if let member = self.as(MemberTypeSyntax.self) { return member.name.text }
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.lastName }
    return self.as(IdentifierTypeSyntax.self)?.name.text
  }
}
