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
}
