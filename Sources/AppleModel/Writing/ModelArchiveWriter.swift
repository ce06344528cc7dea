import Foundation
import KeyedArchive
import ObjectModel
import ObjectQuery

/// Lays a model out in an archive.
///
/// Entities and properties refer to each other, so all of them are added first and get their values
/// then. As in Core Data's archives, entities repeat the properties that they inherit.
struct ModelArchiveWriter {
  typealias Reference = KeyedArchiveWriter.Reference
  typealias Value = KeyedArchiveWriter.Value

  let model: ManagedObjectModel
  var writer = KeyedArchiveWriter()
  private(set) var notes: [AppleModelNote] = []
  var entities: [String: Reference] = [:]
  /// The properties of each entity, own and inherited, by name.
  var properties: [String: [String: Reference]] = [:]
  private var isNoted: Set<AppleModelNote> = []

  init(_ model: ManagedObjectModel) { self.model = model }

  mutating func write() throws(KeyedArchiveError) -> Data {
    let root = writer.addObject(["NSManagedObjectModel", "NSObject"])
    for entity in model.entities {
      entities[entity.name] = writer.addObject(["NSEntityDescription", "NSObject"])
      addProperties(of: entity)
    }
    for entity in model.entities { try write(entity, root) }
    let named = model.entities.map { ($0.name, entities[$0.name] ?? .null) }
    writer.set(dictionary(named), forKey: "NSEntities", of: root)
    try writeTemplates(root)
    let configurations = model.declaration.configurations.sorted { $0.key < $1.key }
    if !configurations.isEmpty {
      let sets = configurations.map { ($0.key, set($0.value.compactMap { entities[$0] })) }
      writer.set(dictionary(sets), forKey: "NSConfigurations", of: root)
    }
    let identifiers = model.declaration.versionIdentifiers.map { writer.addString($0) }
    writer.set(.reference(set(identifiers)), forKey: "NSVersionIdentifiers", of: root)
    return try writer.data(root: root)
  }

  private mutating func writeTemplates(_ root: Reference) throws(KeyedArchiveError) {
    var templates: [(String, Reference)] = []
    for template in model.declaration.fetchRequestTemplates {
      templates.append((template.name, try request(template, nil, template.name)))
    }
    writer.set(
      templates.isEmpty ? .reference(.null) : dictionary(templates), forKey: "NSFetchRequestTemplates",
      of: root)
  }

  // MARK: Entities

  private mutating func addProperties(of entity: EntityDescription) {
    var references: [String: Reference] = [:]
    for property in entity.properties {
      switch property {
      case .attribute(let attribute):
        references[property.name] = writer.addObject(Self.classNames(of: attribute.declaration))
      case .relationship:
        references[property.name] = writer.addObject(
          ["NSRelationshipDescription", "NSPropertyDescription", "NSObject"])
      }
    }
    for property in Self.fetchedProperties(of: entity) {
      references[property.name] = writer.addObject(
        ["NSFetchedPropertyDescription", "NSPropertyDescription", "NSObject"])
    }
    properties[entity.name] = references
  }

  /// Own and inherited ones.
  private static func fetchedProperties(of entity: EntityDescription) -> [FetchedProperty] {
    var result: [FetchedProperty] = []
    var next: EntityDescription? = entity
    while let current = next {
      result += current.declaration.fetchedProperties
      next = current.superentity
    }
    return result
  }

  private mutating func write(_ entity: EntityDescription, _ root: Reference) throws(KeyedArchiveError) {
    guard let reference = entities[entity.name] else { return }
    let declaration = entity.declaration
    var values: [String: Value] = [
      "NSEntityName": writer.text(entity.name),
      "NSClassNameForEntity": writer.text(declaration.managedObjectClassName ?? "NSManagedObject"),
      "NSSuperentity": .reference(entity.superentity.flatMap { entities[$0.name] } ?? .null),
      "NSSubentities": dictionary(entity.subentities.map { ($0.name, entities[$0.name] ?? .null) }),
      "NSUserInfo": userInfo(declaration.userInfo),
      "NSVersionHashModifier": optionalText(declaration.versionHashModifier),
      "NSRenamingIdentifier": writer.text(declaration.renamingIdentifier ?? entity.name),
      "NSManagedObjectModel": .reference(root),
    ]
    if entity.isAbstract { values["NSIsAbstract"] = .boolean(true) }
    for property in entity.properties { try write(property, of: entity) }
    for property in Self.fetchedProperties(of: entity) { try write(property, of: entity) }
    let named = (properties[entity.name] ?? [:]).sorted { $0.key < $1.key }
    values["NSProperties"] = dictionary(named.map { ($0.key, $0.value) })
    if !declaration.uniquenessConstraints.isEmpty {
      values["NSUniqueTuples"] = tuples(declaration.uniquenessConstraints.map(\.propertyNames))
    }
    let indexes = try indexes(of: entity, reference)
    if !indexes.isEmpty { values["NSFetchIndexDescriptions"] = .reference(array(indexes)) }
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      writer.set(value, forKey: key, of: reference)
    }
  }

  private mutating func write(
    _ property: PropertyDescription, of entity: EntityDescription
  ) throws(KeyedArchiveError) {
    guard let reference = properties[entity.name]?[property.name] else { return }
    switch property {
    case .attribute(let attribute):
      try write(attribute.declaration, as: reference, entity, [attribute.name])
    case .relationship(let relationship): write(relationship, as: reference, entity)
    }
  }

  // MARK: What all parts need

  mutating func note(_ entity: String?, _ property: String?, _ message: String) {
    let note = AppleModelNote(entity, property, message)
    if isNoted.insert(note).inserted { notes.append(note) }
  }

  mutating func optionalText(_ text: String?) -> Value { text.map { writer.text($0) } ?? .reference(.null) }

  mutating func array(_ elements: [Reference]) -> Reference {
    writer.addObject(["NSMutableArray", "NSArray", "NSObject"], ["NS.objects": .references(elements)])
  }

  mutating func set(_ elements: [Reference]) -> Reference {
    writer.addObject(["NSSet", "NSObject"], ["NS.objects": .references(elements)])
  }

  mutating func tuples(_ tuples: [[String]]) -> Value {
    let arrays = tuples.map { names in array(names.map { writer.addString($0) }) }
    return .reference(array(arrays))
  }

  mutating func dictionary(_ entries: [(String, Reference)], isMutable: Bool = true) -> Value {
    let keys = entries.map { writer.addString($0.0) }
    return .reference(
      writer.addObject(
        (isMutable ? ["NSMutableDictionary"] : []) + ["NSDictionary", "NSObject"],
        ["NS.keys": .references(keys), "NS.objects": .references(entries.map(\.1))]))
  }

  mutating func userInfo(_ userInfo: [String: String]) -> Value {
    let entries = userInfo.sorted { $0.key < $1.key }.map { ($0.key, writer.addString($0.value)) }
    return dictionary(entries, isMutable: false)
  }

  /// Format text as an archived predicate; noted and left out when it cannot be one.
  mutating func predicate(
    _ text: String?, _ entity: String?, _ property: String
  ) throws(KeyedArchiveError) -> Value {
    guard let text else { return .reference(.null) }
    do {
      return .reference(try ArchivedPredicate(FetchPredicate(format: text)).add(to: &writer))
    } catch {
      note(entity, property, "the predicate \(text) cannot be archived; it is left out")
      return .reference(.null)
    }
  }
}
