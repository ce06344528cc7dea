import Foundation
import Strongroom
import Testing

/// `EverythingModel.swift` beside this file is what the generator makes of the fixture with
/// everything in it.
@Suite("Generated classes")
struct GeneratedClassesTests {
  private let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  private func model() throws -> ManagedObjectModel {
    try ManagedObjectModel.load(
      contentsOf: here.appendingPathComponent("../ObjectModelTests/Fixtures/Everything.xcdatamodeld")
        .standardized
    ).model
  }

  @Test("are what the generator makes now, and so compile without a warning")
  func current() throws {
    let file = try String(contentsOf: here.appendingPathComponent("EverythingModel.swift"), encoding: .utf8)
    #expect(SwiftGenerator(try model()).source == file)
  }

  @Test("read and write every type, follow relationships, and come back as themselves")
  func accessors() async throws {
    let container = PersistentContainer(
      managedObjectModel: try model(), description: PersistentStoreDescription(type: InMemoryStore.storeType))
    try container.persistentStoreCoordinator.registerGeneratedClasses()
    try await container.loadPersistentStores()
    let context = container.newContext()
    let record = try context.insert(Record.self)
    #expect(record.name == "untitled" && record.isLive && record.length == 0)
    let released = Date(timeIntervalSinceReferenceDate: 12.5)
    let identifier = UUID()
    record.name = "Äther"
    record.year = nil
    record.price = Decimal(string: "19.99")
    record.rating = 4.5
    record.isLive = false
    record.released = released
    record.cover = Data([1, 2])
    record.identifier = identifier
    record.page = URL(string: "https://example.org/x")
    record.studio = ["street": "Abbey Road"]
    let label = try context.insert(Label.self)
    record.label = label
    let person = try context.insert(Person.self)
    record.addToCreators(person)
    record.addToAlike(record)
    person.friend = person
    try context.save()
    let fresh = container.newContext()
    let copy = try #require(try fresh.existingObject(with: record.objectID) as? Record)
    #expect(copy.name == "Äther" && copy.year == nil && copy.tracks == 2_147_483_647)
    #expect(copy.price == Decimal(string: "19.99") && copy.rating == 4.5 && !copy.isLive)
    #expect(copy.released == released && copy.cover == Data([1, 2]) && copy.identifier == identifier)
    #expect(copy.page?.absoluteString == "https://example.org/x" && copy.studio == ["street": "Abbey Road"])
    #expect(copy.label?.objectID == label.objectID && copy.label?.records == [copy])
    #expect(copy.creators.map(\.objectID) == [person.objectID] && copy.creators.first?.works == [copy])
    #expect(copy.creators.first?.friend === copy.creators.first)
    // By key paths: an own property, inherited ones, over a to-one and a to-many.
    let found = try fresh.fetch(Record.self) {
      $0.rating == 4.5 && $0.name == "Äther" && $0.creators.any { $0.friend != nil }
    }
    #expect(found == [copy])
    #expect(
      try fresh.fetch(Record.self, #Predicate { $0.name == "Äther" && $0.label?.key == nil && !$0.isLive })
        == [copy])
    #expect(try fresh.fetch(Record.self) { $0.name == "other" || $0.label.key == "x" }.isEmpty)
  }

  @Test("names that Swift or every object has already are escaped")
  func names() throws {
    let model = try ManagedObjectModel {
      Entity("class") {
        Attribute("self", .string)
        Attribute("version", .integer64)
        Attribute("2nd value", .string)
        Attribute("2nd-value", .string)
        Relationship("object", to: "Type")
      }
      Entity("Type", className: "NSManagedObject")
      Entity("Other", className: "App.Type_")
    }
    let source = SwiftGenerator(model, isPublic: true).source
    for part in [
      "public final class `class`: Strongroom.ManagedObject", "public var self_: Swift.String?",
      "public var version_: Swift.Int64?", "public var _2nd_value: Swift.String?",
      "public var _2nd_value_: Swift.String?", "public var object_: Type__?", "final class Type__:",
      "try register(`class`.self, for: \"class\")",
    ] { #expect(source.contains(part), "\(part)\n\(source)") }
  }

  @Test("templates take variables, and fetched properties know their object")
  func requests() async throws {
    let container = PersistentContainer(
      managedObjectModel: try model(), description: PersistentStoreDescription(type: InMemoryStore.storeType))
    try container.persistentStoreCoordinator.registerGeneratedClasses()
    try await container.loadPersistentStores()
    let context = container.newContext()
    let label = try context.insert(Label.self)
    let records = try (0..<3).map { index in
      let record = try context.insert(Record.self)
      record.name = index == 2 ? "other" : "same"
      record.label = label
      record.identifier = UUID()
      record.tracks = Int32(index)
      return record
    }
    let people = try ["a", "b"].map { group in
      let person = try context.insert(Person.self)
      person.group = group
      return person
    }
    for _ in 0..<2 {
      let request = try container.managedObjectModel.fetchRequest(
        fromTemplate: "byGroup", variables: ["group": "b"])
      #expect(request.fetchLimit == 220)
      #expect(try context.fetch(request) == [people[1]])
      #expect(Set(try records[0].fetchedObjects("namesakes")) == Set(records[0...1]))
      #expect(try records[2].fetchedObjects("namesakes") == [records[2]])
      try context.save()
    }
    #expect(throws: QueryError.self) {
      try container.managedObjectModel.fetchRequest(fromTemplate: "byGroup")
    }
    #expect(throws: QueryError.self) {
      try container.managedObjectModel.fetchRequest(fromTemplate: "nothing")
    }
    #expect(throws: ContextError.self) { try people[0].fetchedObjects("namesakes") }
  }
}
