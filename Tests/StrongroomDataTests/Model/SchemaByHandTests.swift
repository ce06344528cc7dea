import Foundation
import Testing

@testable import StrongroomData

@Suite("Schemas by hand")
struct SchemaByHandTests {
  struct Size: Codable, Hashable {
    var width = 1
    var height = 2
  }

  enum Classes {
    @Model class Shelf {
      #Unique<Shelf>([\.row, \.place])
      #Index<Shelf>([\.row], [\.row, \.place])
      @Attribute(.unique, originalName: "title", hashModifier: "2") var name: String
      var row = 3
      var place = 0
      var note: String?
      var size: Size?
      @Attribute(.externalStorage, .preserveValueOnDeletion) var picture: Data?
      @Relationship(deleteRule: .cascade, inverse: \Item.shelf) var items: [Item] = []
      init(name: String) { self.name = name }
    }

    @Model final class Drawer: Shelf {
      var depth = 1.5
      override init(name: String) { super.init(name: name) }
    }

    @Model final class Item {
      var name = "unnamed"
      @Attribute(.codable) var count = 4
      @Attribute(.ephemeral) var seen = false
      var shelf: Shelf?
      init() {}
    }
  }

  static func byHand() -> Schema {
    let size = Schema.CompositeAttribute(name: "size", valueType: Size?.self)
    size.properties = [
      Schema.Attribute(name: "width", valueType: Int.self),
      Schema.Attribute(name: "height", valueType: Int.self),
    ]
    let items = Schema.Relationship(deleteRule: .cascade)
    items.name = "items"
    items.valueType = [Classes.Item].self
    items.destination = "Item"
    items.inverseName = "shelf"
    let drawer = Schema.Entity(
      "Drawer", properties: Schema.Attribute(name: "depth", valueType: Double.self, defaultValue: 1.5))
    let shelf = Schema.Entity(
      "Shelf", subentities: drawer,
      properties: Schema.Attribute(
        name: "name", originalName: "title", options: [.unique], valueType: String.self, hashModifier: "2"),
      Schema.Attribute(name: "row", valueType: Int.self, defaultValue: 3),
      Schema.Attribute(name: "place", valueType: Int.self, defaultValue: 0),
      Schema.Attribute(name: "note", valueType: String?.self), size,
      Schema.Attribute(
        name: "picture", options: [.externalStorage, .preserveValueOnDeletion], valueType: Data?.self), items)
    shelf.uniquenessConstraints.append(["row", "place"])
    shelf.indices = [["row"], ["row", "place"]]
    let item = Schema.Entity("Item")
    let back = Schema.Relationship()
    back.name = "shelf"
    back.valueType = Classes.Shelf?.self
    back.destination = "Shelf"
    back.inverseName = "items"
    item.attributes = [
      Schema.Attribute(name: "name", valueType: String.self, defaultValue: "unnamed"),
      Schema.Attribute(name: "count", options: [.codable], valueType: Int.self),
      Schema.Attribute(name: "seen", options: [.ephemeral], valueType: Bool.self, defaultValue: false),
    ]
    item.relationships = [back]
    return Schema(shelf, item)
  }

  @Test("Entities made by hand make the model that the classes make")
  func equalModels() throws {
    let classes = try Schema([Classes.Drawer.self, Classes.Item.self]).managedObjectModel()
    let byHand = try Self.byHand().managedObjectModel()
    #expect(byHand.versionHash == classes.versionHash)
    #expect(byHand.entityVersionHashesByName == classes.entityVersionHashesByName)
    #expect(byHand.entity(named: "Drawer")?.superentity?.name == "Shelf")
    #expect(byHand.entity(named: "Shelf")?.attribute(named: "row")?.defaultValue == .integer(3))
    let note = try #require(Self.byHand().entitiesByName["Shelf"])
    note.attributesByName["note"]?.valueType = Int.self
    #expect(Schema(note).entities.count == 2)
  }

  @Test("A schema by hand, and one of classes, is the same after it was coded")
  func coding() throws {
    let schema = Self.byHand()
    let read = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(read == schema && read.encodingVersion == Schema.schemaEncodingVersion)
    #expect(try read.managedObjectModel().versionHash == schema.managedObjectModel().versionHash)
    #expect(read.entitiesByName["Drawer"]?.superentity === read.entitiesByName["Shelf"])
    let classes = Schema([Classes.Shelf.self, Classes.Drawer.self])
    let shelf = try #require(classes.entity(for: Classes.Shelf.self))
    let again = try JSONDecoder().decode(Schema.Entity.self, from: JSONEncoder().encode(shelf))
    #expect(again == shelf && again.subentities == shelf.subentities && again !== shelf)
    let items = try #require(again.relationshipsByName["items"])
    #expect(items.keypath == \Classes.Shelf.items && items.inverseKeyPath == \Classes.Item.shelf)
    let relationship = Schema.Relationship(.unique)
    let text = try JSONEncoder().encode(relationship)
    #expect(try JSONDecoder().decode(Schema.Relationship.self, from: text) == relationship)
  }

  @Test("A value type that the program does not have is refused")
  func unknownType() throws {
    let text = try JSONEncoder().encode(Schema.Attribute(name: "a", valueType: Size.self))
    let changed = String(decoding: text, as: UTF8.self).replacingOccurrences(of: "4Size", with: "4Sise")
    #expect(changed != String(decoding: text, as: UTF8.self))
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Schema.Attribute.self, from: Data(changed.utf8))
    }
  }

  @Test("Constraints are classes that are coded by the names of properties")
  func constraints() throws {
    let unique = Schema.Unique<Classes.Shelf>([\.row, \.place], [\.name])
    let index = Schema.Index<Classes.Shelf>(.binary([\.row]), .rtree([\.row, \.place]), .fullText([\.name]))
    let readUnique = try JSONDecoder().decode(
      Schema.Unique<Classes.Shelf>.self, from: JSONEncoder().encode(unique))
    let readIndex = try JSONDecoder().decode(
      Schema.Index<Classes.Shelf>.self, from: JSONEncoder().encode(index))
    #expect(readUnique == unique && readUnique.constraints == unique.constraints && unique.isUnique)
    #expect(readIndex == index && readIndex.hashValue == index.hashValue && !index.isUnique)
    #expect(index != Schema.Index<Classes.Shelf>([\.row]))
    #expect(unique.debugDescription.contains("row") && index.debugDescription.contains("Shelf"))
    #expect(!index.isAttribute && !unique.isRelationship && !index.isTransient && !unique.isOptional)
    #expect(unique.name == "Unique" && index.originalName == "Index" && index.valueType == Classes.Shelf.self)
    #expect(Schema.Index<Classes.Shelf>.CodingKeys.indices.stringValue == "indices")
    #expect(Schema.Unique<Classes.Shelf>.CodingKeys.constraints.stringValue == "constraints")
    let wrong = Data(#"{"constraints":[["absent"]]}"#.utf8)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Schema.Unique<Classes.Shelf>.self, from: wrong)
    }
  }

  private func refusal(_ schema: Schema) -> String {
    do {
      _ = try schema.managedObjectModel()
      return ""
    } catch { return "\(error)" }
  }

  @Test("Faults name the entity and the property")
  func faults() {
    struct Plain {}
    let twice = Schema(Schema.Entity("One"), Schema.Entity("One"))
    #expect(refusal(twice).contains("2 entities are called One"))
    let plain = Schema.Attribute(name: "plain", valueType: Plain.self)
    #expect(refusal(Schema(Schema.Entity("One", properties: plain))).contains("One.plain"))
    let relationship = Schema.Relationship()
    relationship.name = "other"
    relationship.valueType = Classes.Item?.self
    relationship.destination = "Absent"
    let lone = Schema(Schema.Entity("One", properties: relationship))
    #expect(refusal(lone).contains("One.other") && refusal(lone).contains("Absent"))
    #expect(throws: SwiftDataError.unknownSchema) { try lone.managedObjectModel() }
    relationship.destination = "One"
    relationship.inverseName = "none"
    #expect(refusal(lone).contains("its inverse none"))
    let orphan = Schema.Entity("One")
    orphan.superentityName = "Absent"
    #expect(refusal(Schema(orphan)).contains("superentity Absent"))
  }

  @Test("The members of an entity by kind and by name agree")
  func members() throws {
    let schema = Self.byHand()
    #expect(schema.entities[0] === schema.entities[0] && Schema().entities.isEmpty)
    let shelf = try #require(schema.entitiesByName["Shelf"])
    let drawer = try #require(schema.entitiesByName["Drawer"])
    #expect(drawer.inheritedPropertiesByName["row"] != nil && drawer.storedPropertiesByName.count == 1)
    #expect(drawer.attributes.count == 7 && drawer.properties.count == 8 && drawer.superentityName == "Shelf")
    drawer.attributesByName["depth"] = nil
    #expect(drawer.storedProperties.isEmpty && drawer.attributes.count == 6)
    drawer.relationshipsByName = [:]
    #expect(drawer.relationships == shelf.relationships && "\(drawer)" != "\(shelf)")
    drawer.name = "Box"
    #expect(drawer.debugDescription.hasPrefix("Entity Box of Shelf"))
    let size = try #require(shelf.attributesByName["size"] as? Schema.CompositeAttribute)
    let other = Schema.CompositeAttribute(name: "size", valueType: Size?.self)
    #expect(size != other && size.isOptional && size.debugDescription.contains("width"))
    let count = Schema.Attribute(.codable)
    #expect(count.isCodable && !count.isTransformable && count.debugDescription.contains("codable"))
    #expect(Schema.Attribute.Option.unique.debugDescription == "unique")
    #expect(Schema.Relationship.Option.unique.debugDescription == "unique")
    #expect(shelf.relationshipsByName["items"]?.debugDescription.contains("Item") == true)
  }

  @Test(
    "A number that is stored by its own coding is read again, and compared as a whole",
    arguments: [true, false])
  func codable(inMemory: Bool) throws {
    let place = try Place()
    let container = try ModelContainer(
      for: Classes.Item.self,
      configurations: inMemory
        ? ModelConfiguration(isStoredInMemoryOnly: true)
        : ModelConfiguration(url: place.url, keyVault: place.vault))
    let context = ModelContext(container)
    let item = Classes.Item()
    #expect(item.count == 4)
    item.count = 7
    context.insert(item)
    try context.save()
    let read = try #require(ModelContext(container).fetch(FetchDescriptor<Classes.Item>()).first)
    #expect(read.count == 7)
    let entity = try container.schema.managedObjectModel().entity(named: "Item")
    #expect(entity?.attribute(named: "count")?.type == .transformable)
    for (predicate, count) in [
      (#Predicate<Classes.Item> { $0.count == 7 }, 1), (#Predicate { $0.count != 7 }, 0),
    ] {
      #expect(try ModelContext(container).fetchCount(FetchDescriptor(predicate: predicate)) == count)
    }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetch(FetchDescriptor<Classes.Item>(predicate: #Predicate { $0.count > 3 }))
    }
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(FetchDescriptor<Classes.Item>(sortBy: [SortDescriptor(\.count)]))
    }
  }
}
