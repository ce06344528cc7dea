import Foundation
import KeyedArchive
import ObjectModel

/// Turns an archived `NSManagedObjectModel` into a declaration, facts and notes.
///
/// An archive may share its parts, so that a small one describes more than a machine has room for:
/// all that is looked at is counted.
struct ModelArchiveReader {
  private(set) var notes: [AppleModelNote] = []
  var facts = AppleModelFacts()
  var composites: [String: Composite] = [:]
  /// The composites from the outside to the inside.
  var compositeNames: [String] = []
  var expressions = ExpressionReader()
  var values = FoundationValueReader()
  /// The names that composites may not have: those of entities, and of other composites.
  var takenNames: Set<String> = []
  /// The next number for a name that is taken.
  var nameNumbers: [String: Int] = [:]
  private var work = 0
  private var attributeCount = 0
  private static let mostWork = 4 << 20
  private static let mostAttributes = 100_000
  private static let mostNotes = 10_000

  mutating func read(_ model: ArchivedObject) throws(KeyedArchiveError) -> ModelDeclaration {
    guard let entries = model["NSEntities"].object?.entries else { throw Self.lacking("NSEntities", model) }
    var archived: [ArchivedObject] = []
    for entry in entries {
      guard let entity = entry.value.object, entity.isKind(of: "NSEntityDescription") else {
        throw Self.lacking("NSEntities", model)
      }
      archived.append(entity)
      facts.entityNames.append(try name("NSEntityName", entity))
    }
    takenNames = Set(facts.entityNames)
    var entities: [Entity] = []
    // By name, so that one model gives its composites one order and one name each.
    for (_, entity) in zip(facts.entityNames, archived).sorted(by: { $0.0 < $1.0 }) {
      entities.append(try self.entity(entity))
    }
    var declaration = ModelDeclaration(entities: entities)
    declaration.composites = compositeNames.compactMap { composites[$0] }
    declaration.configurations = try configurations(model["NSConfigurations"])
    declaration.fetchRequestTemplates = try templates(model["NSFetchRequestTemplates"])
    declaration.versionIdentifiers = versionIdentifiers(model["NSVersionIdentifiers"])
    noteUnknownKeys(
      of: model, nil, nil,
      [
        "NSEntities", "NSConfigurations", "NSFetchRequestTemplates", "NSVersionIdentifiers",
        "CDMCompilerToolVersion", "CDMCompilerXcodeVersion",
      ])
    facts.isSwiftData = isSwiftData(declaration)
    return declaration
  }

  /// SwiftData names its indexes, describes enumerations, and gives entities no class.
  private func isSwiftData(_ model: ModelDeclaration) -> Bool {
    let indexes = model.entities.flatMap(\.fetchIndexes)
    let attributes = facts.attributes.values.flatMap(\.values)
    return indexes.contains { $0.name.hasPrefix("SwiftDataIndexOn") }
      || attributes.contains { !$0.enumerationCases.isEmpty || $0.valueClassName?.hasSuffix(">") == true }
      || !model.entities.isEmpty && model.entities.allSatisfy { $0.managedObjectClassName == nil }
        && Array(model.configurations.keys) == ["default"]
  }

  // MARK: Parts of the model

  private mutating func configurations(_ value: ArchivedValue) throws(KeyedArchiveError) -> [String: [String]]
  {
    var configurations: [String: [String]] = [:]
    for entry in value.object?.entries ?? [] {
      guard let name = entry.key.text, let members = entry.value.object?.elements else {
        note(nil, nil, "a configuration has no name or no entities; it is left out")
        continue
      }
      try spend(members.count)
      configurations[name] = members.compactMap { $0.object?["NSEntityName"].text ?? $0.text }.sorted()
    }
    return configurations
  }

  private mutating func templates(_ value: ArchivedValue) throws(KeyedArchiveError) -> [FetchRequestTemplate]
  {
    var templates: [FetchRequestTemplate] = []
    for entry in value.object?.entries ?? [] {
      guard let name = entry.key.text, let request = entry.value.object else {
        note(nil, nil, "a fetch request template has no name or no request; it is left out")
        continue
      }
      templates.append(try self.request(request, named: name, entity: nil, property: name))
    }
    return templates.sorted { $0.name < $1.name }
  }

  /// An editor stores an empty identifier where the author gave none.
  private func versionIdentifiers(_ value: ArchivedValue) -> [String] {
    let values = value.object?.elements ?? [value]
    return values.compactMap(\.text).filter { !$0.isEmpty }.sorted()
  }

  // MARK: Entities

  private mutating func entity(_ object: ArchivedObject) throws(KeyedArchiveError) -> Entity {
    let name = try name("NSEntityName", object)
    let parent = object["NSSuperentity"].object
    var entity = Entity(
      name,
      parent: try parent.map { (parent) throws(KeyedArchiveError) in try self.name("NSEntityName", parent) },
      abstract: object["NSIsAbstract"].flag == true)
    let className = object["NSClassNameForEntity"].text
    entity.managedObjectClassName = className == "NSManagedObject" ? nil : className
    entity.renamingIdentifier = renamingIdentifier(object, unless: name)
    entity.versionHashModifier = object["NSVersionHashModifier"].text
    entity.userInfo = try userInfo(object, name, nil)
    try readProperties(of: object, without: try propertyNames(parent), into: &entity)
    try readIndexes(of: object, parent, into: &entity)
    entity.uniquenessConstraints = try constraints(object, parent, name)
    noteUnknownKeys(
      of: object, name, nil,
      [
        "NSEntityName", "NSClassNameForEntity", "NSSuperentity", "NSSubentities", "NSIsAbstract",
        "NSUserInfo",
        "NSVersionHashModifier", "NSProperties", "NSRenamingIdentifier", "NSManagedObjectModel",
        "NSUniqueTuples", "NSFetchIndexDescriptions", "NSCompoundIndexes",
      ])
    return entity
  }

  /// The names of an entity's properties, own and inherited, which an archive repeats in subentities.
  private mutating func propertyNames(_ entity: ArchivedObject?) throws(KeyedArchiveError) -> Set<String> {
    let entries = entity?["NSProperties"].object?.entries ?? []
    try spend(entries.count)
    return Set(entries.compactMap(\.key.text))
  }

  private mutating func readProperties(
    of object: ArchivedObject, without inherited: Set<String>, into entity: inout Entity
  ) throws(KeyedArchiveError) {
    guard let entries = object["NSProperties"].object?.entries else {
      throw Self.lacking("NSProperties", object)
    }
    try spend(entries.count)
    var own: [(name: String, property: ArchivedObject)] = []
    for entry in entries {
      guard var property = entry.value.object else { throw Self.lacking("NSProperties", object) }
      // What an older framework has in place of an inherited property.
      if let underlying = property["NSUnderlyingProperty"].object { property = underlying }
      let name = try name("NSPropertyName", property)
      if !inherited.contains(name) { own.append((name, property)) }
    }
    for (name, property) in own.sorted(by: { $0.name < $1.name }) {
      try readProperty(property, name, into: &entity)
    }
  }

  private mutating func readProperty(
    _ property: ArchivedObject, _ name: String, into entity: inout Entity
  ) throws(KeyedArchiveError) {
    if property.isKind(of: "NSAttributeDescription") {
      entity.attributes.append(try attribute(property, AttributePath(entity: entity.name, names: [name])))
    } else if property.isKind(of: "NSRelationshipDescription") {
      entity.relationships.append(try relationship(property, name, entity.name))
    } else if property.isKind(of: "NSFetchedPropertyDescription") {
      entity.fetchedProperties.append(try fetchedProperty(property, name, entity.name))
    } else {
      note(entity.name, name, "a property of the class \(property.className) is left out")
    }
  }

  // MARK: What all parts have

  static func lacking(_ part: String, _ object: ArchivedObject) -> KeyedArchiveError {
    KeyedArchiveError(
      .unexpectedValue, "an archived \(object.className) has no usable \(part); use another copy")
  }

  func name(_ key: String, _ object: ArchivedObject) throws(KeyedArchiveError) -> String {
    guard let name = object[key].text else { throw Self.lacking(key, object) }
    return name
  }

  /// An archive has the name where the author gave no renaming identifier.
  func renamingIdentifier(_ object: ArchivedObject, unless name: String) -> String? {
    object["NSRenamingIdentifier"].text.flatMap { $0 == name || $0.isEmpty ? nil : $0 }
  }

  /// The entries of a user info that are text, numbers or booleans; others are noted.
  mutating func userInfo(
    _ object: ArchivedObject, _ entity: String, _ property: String?
  ) throws(KeyedArchiveError) -> [String: String] {
    let entries = object["NSUserInfo"].object?.entries ?? []
    try spend(entries.count)
    var userInfo: [String: String] = [:]
    for entry in entries {
      let text: String? =
        switch entry.value {
        case .boolean(let flag): flag ? "true" : "false"
        case .integer(let integer): String(integer)
        case .real(let double): String(double)
        default: entry.value.text
        }
      guard let key = entry.key.text, let text else {
        note(
          entity, property,
          "the entry \(entry.key.text ?? "without a name") of its user info is no text; it is left out")
        continue
      }
      userInfo[key] = text
    }
    return userInfo
  }

  mutating func spend(_ count: Int) throws(KeyedArchiveError) {
    work += count + 1
    guard work <= Self.mostWork else {
      throw KeyedArchiveError(
        .tooLarge,
        "the archived model has more than \(Self.mostWork) parts, with shared ones counted each time;"
          + " use another copy")
    }
  }

  /// Composites contain attributes, so that few of them may be many.
  mutating func countAttribute() throws(KeyedArchiveError) {
    attributeCount += 1
    guard attributeCount <= Self.mostAttributes else {
      throw KeyedArchiveError(
        .tooLarge,
        "the archived model has more than \(Self.mostAttributes) attributes, elements of composites included;"
          + " use another copy")
    }
  }

  mutating func note(_ entity: String?, _ property: String?, _ message: String) {
    if notes.count < Self.mostNotes { notes.append(AppleModelNote(entity, property, message)) }
  }

  /// Notes the keys that are not known, unless they say no or nothing.
  mutating func noteUnknownKeys(
    of object: ArchivedObject, _ entity: String?, _ property: String?, _ known: Set<String>
  ) {
    for key in object.keys where !known.contains(key) {
      let value = object[key]
      if value.isNull || value.flag == false { continue }
      if value.object?.elements?.isEmpty == true || value.object?.entries?.isEmpty == true { continue }
      note(entity, property, "its \(key) is not read")
    }
  }
}
