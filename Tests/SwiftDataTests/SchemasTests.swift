import Foundation
import SwiftData
import Testing

@Model final class Orchard {
  var name = ""
  @Relationship(deleteRule: .cascade, inverse: \Tree.orchard) var trees: [Tree] = []
  init() {}
}

@Model class Tree {
  #Index<Tree>([\.kind])
  #Unique<Tree>([\.number, \.kind])
  var number = 0
  var kind = "apple"
  var place: Spot?
  var orchard: Orchard?
  init() {}

  struct Spot: Codable, Hashable {
    var row = 0
    var column = 0
  }
}

/// A program that makes its schema from a description, as one is written for Apple's framework.
private struct SchemaBuilder {
  func attribute<Value>(_ name: String, _ type: Value.Type, _ value: Value? = nil) -> Schema.Attribute {
    Schema.Attribute(name: name, valueType: type, defaultValue: value)
  }

  func relationship(
    _ name: String, _ type: any Any.Type, to destination: String, inverse: String,
    _ rule: Schema.Relationship.DeleteRule = .nullify
  ) -> Schema.Relationship {
    let relationship = Schema.Relationship(deleteRule: rule, minimumModelCount: 0, maximumModelCount: 0)
    relationship.name = name
    relationship.originalName = name
    relationship.valueType = type
    relationship.destination = destination
    relationship.inverseName = inverse
    return relationship
  }

  func place() -> Schema.CompositeAttribute {
    let place = Schema.CompositeAttribute(
      name: "place", originalName: nil, options: [], valueType: Tree.Spot?.self, defaultValue: nil,
      hashModifier: nil)
    place.properties = [attribute("row", Int.self), attribute("column", Int.self)]
    return place
  }

  func schema() -> Schema {
    let orchard = Schema.Entity(
      "Orchard", properties: attribute("name", String.self, ""),
      relationship("trees", [Tree].self, to: "Tree", inverse: "orchard", .cascade))
    let tree = Schema.Entity("Tree")
    tree.attributes = [attribute("number", Int.self, 0), attribute("kind", String.self, "apple"), place()]
    tree.relationships.insert(relationship("orchard", Orchard?.self, to: "Orchard", inverse: "trees"))
    tree.uniquenessConstraints = [["number", "kind"]]
    tree.indices = [["kind"]]
    return Schema(orchard, tree, version: Schema.Version(1, 0, 0))
  }
}

@Suite("Schemas made by hand")
struct SchemasTests {
  @Test("A program's schema of entities stores the models of its classes")
  func store() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).store")
    let schema = SchemaBuilder().schema()
    let context = ModelContext(
      try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let orchard = Orchard()
    let tree = Tree()
    tree.place = Tree.Spot(row: 2, column: 3)
    orchard.trees.append(tree)
    context.insert(orchard)
    try context.save()
    let descriptor = FetchDescriptor<Tree>(predicate: #Predicate { $0.orchard?.name == "" })
    #expect(try context.fetch(descriptor).map(\.place?.column) == [3])
    context.delete(orchard)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Tree>()) == 0)
    try schema.save(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let loaded = try Schema.load(from: url)
    #expect(loaded == schema && loaded.encodingVersion == Schema.schemaEncodingVersion)
    #expect(Set([loaded, schema]).count == 1)
  }

  @Test("The members of a schema's classes are read, set, compared and coded")
  func members() throws {
    let schema = SchemaBuilder().schema()
    let tree: Schema.Entity = try #require(schema.entity(for: Tree.self))
    let attributes: Set<Schema.Attribute> = tree.attributes
    let relationships: Set<Schema.Relationship> = tree.relationships
    #expect(attributes.count == 3 && relationships.count == 1)
    #expect(tree.properties.count == 4 && tree.inheritedProperties.isEmpty)
    #expect(tree.storedPropertiesByName["kind"]?.isUnique == false)
    #expect(tree.relationshipsByName["orchard"]?.isToOneRelationship == true)
    let number = try #require(tree.attributesByName["number"])
    number.isOptional = true
    number.hashModifier = "2"
    number.options.append(.allowsCloudEncryption)
    number.defaultValue = 4
    let read = try JSONDecoder().decode(Schema.Attribute.self, from: JSONEncoder().encode(number))
    #expect(read == number && read !== number && read.defaultValue as? Int == 4)
    #expect(read.hashValue == number.hashValue && "\(read.debugDescription)".contains("number"))
    let composite = try #require(tree.attributesByName["place"] as? Schema.CompositeAttribute)
    let again = try JSONDecoder().decode(
      Schema.CompositeAttribute.self, from: JSONEncoder().encode(composite))
    #expect(again == composite && again.properties.map(\.name) == ["row", "column"])
    let options: [Schema.Attribute.Option] = [.unique, .ephemeral, .spotlight, .externalStorage]
    let readOptions = try JSONDecoder().decode(
      [Schema.Attribute.Option].self, from: JSONEncoder().encode(options))
    #expect(readOptions == options && options[0].debugDescription != options[1].debugDescription)
    let one = [Schema.Relationship.Option.unique]
    #expect(
      try JSONDecoder().decode([Schema.Relationship.Option].self, from: JSONEncoder().encode(one)) == one)
    let trees = try #require(Schema([Orchard.self]).entity(for: Orchard.self)?.relationshipsByName["trees"])
    #expect(trees.keypath == \Orchard.trees && trees.inverseKeyPath == \Tree.orchard)
    #expect(trees.deleteRule == Schema.Relationship.DeleteRule(rawValue: "cascade"))
    trees.minimumModelCount = 1
    trees.maximumModelCount = nil
    trees.keypath = nil
    let readTrees = try JSONDecoder().decode(Schema.Relationship.self, from: JSONEncoder().encode(trees))
    #expect(readTrees == trees && readTrees.keypath == nil && !trees.debugDescription.isEmpty)
  }

  @Test("Constraints and indexes are properties of a schema")
  func constraints() throws {
    let unique = Schema.Unique<Tree>([\.number], [\.number, \.kind])
    let index = Schema.Index<Tree>([\.kind], [\.number])
    let types: [Schema.Index<Tree>.Types<Tree>] = index.indices
    #expect(unique.constraints.count == 2 && types.count == 2)
    for property in [unique, index] as [any SchemaProperty] {
      #expect(!property.isAttribute && !property.isRelationship && !property.isTransient)
      #expect(!property.name.isEmpty && property.valueType is any PersistentModel.Type)
    }
    #expect(Schema.Unique<Tree>.CodingKeys(stringValue: "constraints") == .constraints)
    #expect(Schema.Index<Tree>.CodingKeys(intValue: 1) == nil)
    let read = try JSONDecoder().decode(Schema.Index<Tree>.self, from: JSONEncoder().encode(index))
    #expect(read == index && Set([read, index]).count == 1 && !index.debugDescription.isEmpty)
    let entity = Schema.Entity("Tree", properties: unique, index)
    #expect(entity.uniquenessConstraints.count == 2 && entity.indices == [["kind"], ["number"]])
  }

  @Test("Inheritance is made by hand, and what is made goes from one task to another")
  func inheritance() async throws {
    let child = Schema.Entity("Child", properties: Schema.Attribute(name: "size", valueType: Int.self))
    let parent = Schema.Entity(
      "Parent", subentities: child, properties: Schema.Attribute(name: "name", valueType: String.self))
    #expect(child.superentity === parent && child.superentityName == "Parent")
    #expect(child.inheritedPropertiesByName.keys.sorted() == ["name"])
    parent.subentities.insert(Schema.Entity("Other"))
    let schema = Schema(parent)
    let names = await _Concurrency.Task.detached { schema.entities.map(\.name) }.value
    #expect(Set(names) == ["Parent", "Child", "Other"] && child.attributes.count == 2)
    let lone = Schema.Entity("Lone")
    do {
      let other = Schema.Entity("Far", properties: Schema.Attribute(name: "far", valueType: Int?.self))
      lone.superentity = other
    }
    #expect(lone.superentity?.name == "Far" && lone.attributesByName["far"]?.isOptional == true)
    #expect(Schema(lone).entitiesByName.keys.sorted() == ["Far", "Lone"])
    #expect(String(reflecting: lone).contains("Lone"))
  }

  @Test("A container's configurations are set, and identified by URLs")
  func configurations() throws {
    let schema = SchemaBuilder().schema()
    let configuration = ModelConfiguration("trees", schema: schema, isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: schema, configurations: [configuration])
    let ids: [URL] = container.configurations.map(\.id)
    #expect(ids == [configuration.id])
    container.configurations = []
    #expect(container.configurations.isEmpty && container.schema == schema)
  }
}
