/// Writes Swift classes with typed accessors for a model's entities; the accessors use property
/// indexes, not names.
public struct SwiftGenerator {
  private let model: ManagedObjectModel
  private let access: String
  private let classes: [String]  // by entity index
  private let members: [[Int: String]]  // by entity index, by property index
  private var embedded: (name: String, json: String)?

  /// Prepares a model whose source holds the model itself too, as `ManagedObjectModel.shopModel`
  /// where the name is `Shop`.
  ///
  /// - Parameters:
  ///   - model: The model whose classes are written.
  ///   - isPublic: Whether the classes may be used outside of their module.
  ///   - name: The name of the model.
  /// - Throws: what encoding the model throws.
  public init(_ model: ManagedObjectModel, isPublic: Bool = false, embeddingAs name: String) throws {
    self.init(model, isPublic: isPublic)
    embedded = (SwiftNames.model(name), String(decoding: try model.jsonData(), as: UTF8.self))
  }

  /// Prepares a model.
  ///
  /// - Parameters:
  ///   - model: The model whose classes are written.
  ///   - isPublic: Whether the classes may be used outside of their module.
  public init(_ model: ManagedObjectModel, isPublic: Bool = false) {
    self.model = model
    access = isPublic ? "public " : ""
    var taken: Set<String> = []
    classes = model.entities.map { SwiftNames.type($0, taken: &taken) }
    members = model.entities.map { entity in
      // Inherited ones first and in the same order everywhere, so that each has one name in the
      // whole hierarchy.
      var own: Set<String> = []
      return Dictionary(
        uniqueKeysWithValues: entity.properties.map { ($0.index, SwiftNames.member($0.name, taken: &own)) })
    }
  }

  /// The whole source file.
  public var source: String {
    var lines = [
      "// swift-format-ignore-file",
      "// Made from a model by `strongroom model generate`. "
        + "Changes to this file are lost when it is made again.",
      "import Foundation", "import Strongroom",
    ]
    for entity in model.entities { lines += ["", contentsOf(entity)] }
    lines += ["", registration]
    if let embedded { lines += ["", embedding(embedded.name, embedded.json)] }
    return lines.joined(separator: "\n") + "\n"
  }

  private func name(_ entity: EntityDescription) -> String { SwiftNames.escaped(classes[entity.index]) }

  private func contentsOf(_ entity: EntityDescription) -> String {
    let final = entity.hasSubentities ? (access.isEmpty ? "" : "open ") : access + "final "
    let parent = entity.superentity.map(name) ?? "Strongroom.ManagedObject"
    let own = entity.properties.filter { property in
      switch property {
      case .attribute(let attribute): attribute.entity === entity
      case .relationship(let relationship): relationship.entity === entity
      }
    }
    var lines = [
      "/// An object of the entity \(SwiftGenerator.comment(entity.name)).",
      "\(final)class \(name(entity)): \(parent) {",
    ]
    if !own.isEmpty {
      lines.append("  enum Indexes {")
      for property in own { lines.append(index(property, entity)) }
      lines.append("  }")
    }
    for property in own { lines += ["", accessor(property, entity)] }
    lines += ["", names(entity), "}"]
    return lines.joined(separator: "\n")
  }

  /// What typed conditions find the properties by.
  private func names(_ entity: EntityDescription) -> String {
    let pairs = entity.properties.map {
      "    \\\(name(entity)).\(member($0, entity)): \(Self.literal($0.name)),"
    }
    return """
        // Key paths of properties hold nothing that changes.
        nonisolated(unsafe) private static let propertyNamesByKeyPath: [Swift.AnyKeyPath: Swift.String] = [
      \(pairs.isEmpty ? "    :" : pairs.joined(separator: "\n"))
        ]
        \(access)override class var propertyNames: [Swift.AnyKeyPath: Swift.String] { propertyNamesByKeyPath }
      """
  }

  private static func comment(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private func member(_ property: PropertyDescription, _ entity: EntityDescription) -> String {
    SwiftNames.escaped(members[entity.index][property.index] ?? property.name)
  }

  private func index(_ property: PropertyDescription, _ entity: EntityDescription) -> String {
    let field =
      switch property {
      case .attribute(let attribute): attribute.field
      case .relationship(let relationship): relationship.field
      }
    let index = "Strongroom.PropertyIndex(index: \(property.index), field: \(field))"
    return "    static let \(member(property, entity)) = \(index)"
  }

  private func accessor(_ property: PropertyDescription, _ entity: EntityDescription) -> String {
    let member = member(property, entity)
    switch property {
    case .attribute(let attribute): return self.attribute(attribute, member, "Indexes.\(member)")
    case .relationship(let relationship): return self.relationship(relationship, member, "Indexes.\(member)")
    }
  }

  private func attribute(_ attribute: AttributeDescription, _ member: String, _ index: String) -> String {
    let form = Form(attribute.type)
    let isOptional = attribute.isOptional || attribute.isTransient
    let type = form.type + (isOptional ? "?" : "")
    let read = form.read(index)
    let write = form.write(index, "newValue")
    if attribute.derivation != nil {
      return """
          /// Computed by the store.
          \(access)var \(member): \(type) { \(isOptional ? "isNull(\(index)) ? nil : " : "")\(read) }
        """
    }
    if !isOptional {
      return """
          \(access)var \(member): \(type) {
            get { \(read) }
            set { \(write) }
          }
        """
    }
    return """
        \(access)var \(member): \(type) {
          get { isNull(\(index)) ? nil : \(read) }
          set {
            if let newValue { \(write) } else { set(\(index), to: .null) }
          }
        }
      """
  }

  private func relationship(_ relationship: RelationshipDescription, _ member: String, _ index: String)
    -> String
  {
    let destination = name(relationship.destination)
    if relationship.isToMany {
      let plain = members[relationship.entity.index][relationship.index] ?? relationship.name
      let capital = plain.prefix(1).uppercased() + plain.dropFirst()
      let signature = "(_ destination: \(destination))"
      return """
          \(access)var \(member): [\(destination)] {
            get { objects(\(index)).compactMap { $0 as? \(destination) } }
            set { setObjects(\(index), to: newValue) }
          }
          \(access)func addTo\(capital)\(signature) { add(destination, to: \(index)) }
          \(access)func removeFrom\(capital)\(signature) { remove(destination, from: \(index)) }
        """
    }
    return """
        \(access)var \(member): \(destination)? {
          get { object(\(index)) as? \(destination) }
          set { setObject(\(index), to: newValue) }
        }
      """
  }

  private var registration: String {
    let lines = model.entities.map { entity in
      "    try register(\(name(entity)).self, for: \(Self.literal(entity.name)))"
    }
    return """
      extension Strongroom.PersistentStoreCoordinator {
        /// Makes objects of each entity instances of its class.
        \(access)func registerGeneratedClasses() throws {
      \(lines.joined(separator: "\n"))
        }
      }
      """
  }

  /// The model in the program itself, so that no file is shipped beside it.
  private func embedding(_ name: String, _ json: String) -> String {
    """
    extension Strongroom.ManagedObjectModel {
      /// The model that the classes above were made from.
      \(access)static var \(name): Strongroom.ManagedObjectModel {
        get throws { try EmbeddedModel.\(name).get() }
      }

      private enum EmbeddedModel {
        static let \(name) = Swift.Result<Strongroom.ManagedObjectModel, any Swift.Error> {
          try Strongroom.ManagedObjectModel(jsonData: Foundation.Data(json.utf8))
        }
        private static let json = \(Self.literal(json))
      }
    }
    """
  }

  private static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 32: result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

/// How values of a type are read and written by property index.
private struct Form {
  let type: String
  private let reader: String
  private let writer: String

  init(_ type: AttributeType) {
    switch type {
    case .integer16: self.init("Swift.Int16", "integer", "integer")
    case .integer32: self.init("Swift.Int32", "integer", "integer")
    case .integer64: self.init("Swift.Int64", "integer", "integer")
    case .boolean: self.init("Swift.Bool", "boolean", "boolean")
    case .double, .float: self.init("Swift.Double", "double", "double")
    case .string: self.init("Swift.String", "string", "string")
    case .date: self.init("Foundation.Date", "date", ".date")
    case .binary, .transformable: self.init("Foundation.Data", "data", ".data")
    case .decimal: self.init("Foundation.Decimal", "", ".decimal")
    case .uuid: self.init("Foundation.UUID", "", ".uuid")
    case .uri, .objectID: self.init("Foundation.URL", "", ".uri")
    case .composite: self.init("[Swift.String: Strongroom.AttributeValue]", "", ".composite")
    case .undefined: self.init("Strongroom.AttributeValue", "", "")
    }
  }

  private init(_ type: String, _ reader: String, _ writer: String) {
    self.type = type
    self.reader = reader
    self.writer = writer
  }

  /// Whether it is a shorter integer than those that are read and written.
  private var isShort: Bool { type == "Swift.Int16" || type == "Swift.Int32" }

  func read(_ index: String) -> String {
    if isShort { return "\(type)(truncatingIfNeeded: \(reader)(\(index)))" }
    if !reader.isEmpty { return "\(reader)(\(index))" }
    if writer.isEmpty { return "value(\(index))" }
    let empty =
      switch writer {
      case ".decimal": "0"
      case ".uuid": "Foundation.UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))"
      case ".uri": "Foundation.URL(fileURLWithPath: \"/\")"
      default: "[:]"
      }
    return "{ if case \(writer)(let it) = value(\(index)) { it } else { \(empty) } }()"
  }

  func write(_ index: String, _ value: String) -> String {
    if isShort { return "set(\(index), \(writer): Swift.Int64(\(value)))" }
    if writer.isEmpty { return "set(\(index), to: \(value))" }
    return writer.hasPrefix(".")
      ? "set(\(index), to: \(writer)(\(value)))" : "set(\(index), \(writer): \(value))"
  }
}
