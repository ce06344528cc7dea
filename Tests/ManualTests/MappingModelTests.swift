import Foundation
import MappingModels
import Strongroom
import Testing

final class CityPolicy: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: inout EntityMapping, manager: MigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: source, in: &mapping, manager: manager)
    let people = try manager.destinationInstances(
      forEntityMappingName: mapping.name, sourceInstances: [source])
    let context = manager.destinationContext
    let name = try source.get("cityName", as: String.self) ?? "nowhere"
    let known = try context.fetch(FetchRequest("City", where: FetchPredicate(format: "name == %@", name)))
    let city = try known.first ?? context.insert("City")
    try city.set("name", name)
    try people.first?.setObject(city, forKey: "city")
  }
}

final class PairPolicy: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: inout EntityMapping, manager: MigrationManager
  ) throws {
    for side in ["left", "right"] {
      let shoe = try manager.destinationContext.insert("Shoe")
      try shoe.set("side", side)
      try shoe.set("size", source.get("size", as: Int.self))
      manager.associate(sourceInstance: source, withDestinationInstance: shoe, for: mapping)
    }
  }
}

@Suite("The manual: migration by a mapping model")
struct MappingModelTests {
  @Test(
    "A mapping model renames and computes, and a policy makes objects of an attribute",
    arguments: [
      true, false,
    ])
  func cities(fromFile: Bool) async throws {
    let place = try Place()
    var description = PersistentStoreDescription(url: place.file("people.store"), vault: place.vault)
    let first = try ManagedObjectModel {
      Entity("Person") {
        Attribute("name", .string)
        Attribute("age", .integer16)
        Attribute("cityName", .string)
      }
    }
    let second = try ManagedObjectModel {
      Entity("Person") {
        Attribute("name", .string)
        Attribute("years", .integer64)
        Attribute("isChecked", .boolean)
        Relationship("city", to: "City", inverse: "people")
      }
      Entity("City") {
        Attribute("name", .string)
        Relationship("people", toMany: "Person", inverse: "city")
      }
    }
    do {
      let container = PersistentContainer(managedObjectModel: first, description: description)
      try await container.loadPersistentStores()
      let context = container.newContext()
      for (name, city) in [("Ada", "London"), ("Émilie", "Paris"), ("Mary", "London")] {
        let person = try context.insert("Person")
        try person.set("name", name)
        try person.set("age", 40)
        try person.set("cityName", city)
      }
      try context.save()
      try container.close()
    }
    CityPolicy.register()
    var person = EntityMapping(from: "Person", to: "Person")
    person.attributeMappings = [
      .generated("name"), PropertyMapping("years", .source("age")),
      PropertyMapping("isChecked", .constant(.boolean(false))),
    ]
    person.entityMigrationPolicyClassName = "CityPolicy"
    description.mappingModel = MappingModel([person])
    if fromFile {
      let url = place.file("People.xcmappingmodel")
      try description.mappingModel?.write(xcmappingmodel: url)
      description.mappingModel = try MappingModel(contentsOf: url)
    }
    let container = PersistentContainer(managedObjectModel: second, description: description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    let cities = try context.fetch(
      FetchRequest("City", sortDescriptors: [FetchSortDescriptor("name")]))
    #expect(try cities.map { try $0.get("name", as: String.self) } == ["London", "Paris"])
    #expect(try cities.map { try $0.objects("people").count } == [2, 1])
    #expect(try cities[1].objects("people").first?.get("years", as: Int.self) == 40)
    try container.close()
  }

  private func migrated(
    from first: ManagedObjectModel, to second: ManagedObjectModel,
    fill: (ManagedObjectContext) throws -> Void, _ mapping: (inout PersistentStoreDescription) throws -> Void
  ) async throws -> (Place, PersistentContainer) {
    let place = try Place()
    var description = PersistentStoreDescription(url: place.file("some.store"), vault: place.vault)
    do {
      let container = PersistentContainer(managedObjectModel: first, description: description)
      try await container.loadPersistentStores()
      let context = container.newContext()
      try fill(context)
      try context.save()
      try container.close()
    }
    try mapping(&description)
    let container = PersistentContainer(managedObjectModel: second, description: description)
    try await container.loadPersistentStores()
    return (place, container)
  }

  @Test("An entity becomes two, by filters, and relationships find the objects that were made")
  func split() async throws {
    let first = try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string)
        Attribute("kind", .string)
        Relationship("author", to: "Author", inverse: "books")
      }
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
      }
    }
    let second = try ManagedObjectModel {
      Entity("Novel") {
        Attribute("title", .string)
        Relationship("writer", to: "Writer", inverse: "novels")
      }
      Entity("Essay") {
        Attribute("title", .string)
        Relationship("writer", to: "Writer", inverse: "essays")
      }
      Entity("Writer") {
        Attribute("name", .string)
        Relationship("novels", toMany: "Novel", inverse: "writer")
        Relationship("essays", toMany: "Essay", inverse: "writer")
      }
    }
    let (place, container) = try await migrated(from: first, to: second) { context in
      let author = try context.insert("Author")
      try author.set("name", "Virginia Woolf")
      for (title, kind) in [("Orlando", "novel"), ("The Waves", "novel"), ("Three Guineas", "essay")] {
        let book = try context.insert("Book")
        try book.set("title", title)
        try book.set("kind", kind)
        try book.setObject(author, forKey: "author")
      }
    } _: { description in
      var fiction = EntityMapping(from: "Book", to: "Novel")
      fiction.sourceFilter = "kind == 'novel'"
      fiction.attributeMappings = [.generated("title")]
      fiction.relationshipMappings = [.generated("writer", sourceKeyPath: "$source.author")]
      var other = EntityMapping(from: "Book", to: "Essay")
      other.sourceFilter = "kind != 'novel'"
      other.attributeMappings = [.generated("title")]
      other.relationshipMappings = [
        PropertyMapping(
          "writer",
          .destinationInstances(
            forEntityMappingName: "AuthorToWriter", sourceInstances: .source("author")))
      ]
      var writer = EntityMapping(from: "Author", to: "Writer")
      writer.attributeMappings = [.generated("name")]
      description.mappingModel = MappingModel([fiction, other, writer])
    }
    let context = container.newContext()
    let writer = try #require(try context.fetch(FetchRequest("Writer")).first)
    #expect(try writer.objects("novels").count == 2 && writer.objects("essays").count == 1)
    try container.close()
    _ = place
  }

  @Test("A policy makes two objects of each")
  func pairs() async throws {
    PairPolicy.register()
    let first = try ManagedObjectModel { Entity("Pair") { Attribute("size", .integer16) } }
    let second = try ManagedObjectModel {
      Entity("Shoe") {
        Attribute("size", .integer16)
        Attribute("side", .string)
      }
    }
    let (place, container) = try await migrated(from: first, to: second) { context in
      try context.insert("Pair").set("size", 42)
    } _: { description in
      var pair = EntityMapping(from: "Pair", to: "Shoe")
      pair.entityMigrationPolicyClassName = "PairPolicy"
      description.mappingModel = MappingModel([pair])
    }
    let shoes = try container.newContext().fetch(
      FetchRequest("Shoe", sortDescriptors: [FetchSortDescriptor("side")]))
    #expect(try shoes.map { try $0.get("side", as: String.self) } == ["left", "right"])
    #expect(try shoes.map { try $0.get("size", as: Int.self) } == [42, 42])
    try container.close()
    _ = place
  }
}
