import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let containers: [ContextCheck] = [
    ContextCheck("an entity has one store: a second one that would have it too is refused (configurations)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let second = try await Self.memory(scenario.model)
      try expectContextError(.configuration, "all entities twice") {
        try scenario.coordinator.addPersistentStore(second)
      }
      try expectContextError(.configuration, "the same store twice") {
        try scenario.coordinator.addPersistentStore(scenario.store)
      }
      try expect(
        scenario.coordinator.persistentStores.map { $0.identifier } == [scenario.store.identifier],
        "the first")
      let context = scenario.newContext()
      let person = try Fixtures.person(context, "Ada")
      try context.save()
      try expect(person.objectID.storeIdentifier == scenario.store.identifier, "which goes on")
    },
    ContextCheck("two stores with entities of their own share a coordinator, and a save goes to both") {
      factory in
      let pair = try await Pair(factory)
      let context = pair.newContext()
      let (book, note) = (try pair.book(context, "Emma"), try pair.note(context, "read"))
      try context.save()
      try expect(book.objectID.storeIdentifier == pair.library.identifier, "a book in the library")
      try expect(note.objectID.storeIdentifier == pair.desk.identifier, "a note on the desk")
      let other = try await Self.memory(pair.coordinator.managedObjectModel)
      try expectContextError(.configuration, "an overlap") {
        try pair.coordinator.addPersistentStore(other, configuration: "Library")
      }
      let chapter = try context.insert("Chapter")
      try chapter.setObject(book, forKey: "book")
      try note.set("text", "again")
      try context.save()
      let fresh = pair.newContext()
      try expect(fresh.existingObject(with: book.objectID).objects("chapters").count == 1, "links within one")
      try expect(
        Fixtures.text(fresh.existingObject(with: note.objectID), "text") == "again", "changes in both")
    },
    ContextCheck("an object is assigned to the store of its entity, and to no other (assign)") { factory in
      let pair = try await Pair(factory)
      let context = pair.newContext()
      let (book, note) = (try pair.book(context, "Emma"), try pair.note(context, "read"))
      try context.assign(book, to: pair.library)
      try context.assign(note, to: pair.desk)
      try expectContextError(.configuration, "a note in the library") {
        try context.assign(note, to: pair.library)
      }
      try expectContextError(.configuration, "a book on the desk") { try context.assign(book, to: pair.desk) }
      let stranger = try await Self.memory(pair.coordinator.managedObjectModel)
      try expectContextError(.configuration, "a store of no coordinator") {
        try context.assign(book, to: stranger)
      }
      try context.save()
      try expect(book.objectID.storeIdentifier == pair.library.identifier, "saved where it belongs")
      try expect(note.objectID.storeIdentifier == pair.desk.identifier, "saved where it belongs")
    },
    ContextCheck("what a removed store had is out of reach, and its objects are forgotten (remove)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let (saver, reader) = (scenario.newContext(), scenario.newContext())
      let person = try Fixtures.person(saver, "Ada")
      try saver.save()
      let read = try reader.fetch(FetchRequest("Person"))
      try person.set("name", "unsaved")
      try scenario.coordinator.removePersistentStore(scenario.store)
      try expect(scenario.coordinator.persistentStores.isEmpty, "no store is left")
      for context in [saver, reader] {
        try expectContextError(.noStore, "a fetch") { _ = try context.fetch(FetchRequest("Person")) }
        try expect(context.registeredObject(for: person.objectID) == nil, "not retained any more")
        _ = try Fixtures.person(context, "new")
        try expectContextError(.noStore, "a save") { try context.save() }
      }
      try expect(person.managedObjectContext == nil && read[0].managedObjectContext == nil, "of no context")
      try expectContextError(.noContext, "a change") { try person.set("name", "later") }
      try expectContextError(.noStore, "removing it twice") {
        try scenario.coordinator.removePersistentStore(scenario.store)
      }
    },
    ContextCheck("a store that came after another one has objects of its own, though they bear its numbers") {
      factory in
      let scenario = try await ContextScenario(factory)
      let (saver, reader) = (scenario.newContext(), scenario.newContext())
      let old = try Fixtures.person(saver, "old")
      try saver.save()
      let read = try reader.fetch(FetchRequest("Person"))
      try old.set("name", "unsaved")
      let id = old.objectID
      try scenario.coordinator.removePersistentStore(scenario.store)
      let second = try await Self.memory(scenario.model)
      try scenario.coordinator.addPersistentStore(second)
      let maker = scenario.newContext()
      // As many as it takes to reach the old number.
      for number in 0..<id.reference { _ = try Fixtures.person(maker, "new \(number)") }
      try maker.save()
      for context in [saver, reader] {
        let people = try context.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]))
        try expect(people.count == Int(id.reference), "the new ones")
        try expect(people.allSatisfy { $0 !== old && $0 !== read[0] }, "in new objects")
        try expect(people.allSatisfy { $0.objectID != id }, "under new IDs")
        try expect(people.allSatisfy { $0.objectID.storeIdentifier == second.identifier }, "of its own")
        try expect(Fixtures.names(people).allSatisfy { $0.hasPrefix("new") }, "with their values")
        try expectContextError(.objectOfAnotherContext, "the old ID") {
          _ = try context.existingObject(with: id)
        }
        try context.save()
      }
      let fresh = scenario.newContext()
      let names = try Fixtures.names(fresh.fetch(FetchRequest("Person")))
      try expect(names.allSatisfy { $0.hasPrefix("new") }, "an old change is not saved into a new object")
    },
    ContextCheck("removing one of two stores leaves the other and its unsaved objects alone (remove)") {
      factory in
      let pair = try await Pair(factory)
      let context = pair.newContext()
      let (book, note) = (try pair.book(context, "Emma"), try pair.note(context, "read"))
      try context.save()
      try book.set("title", "Persuasion")
      try note.set("text", "unsaved")
      try pair.coordinator.removePersistentStore(pair.desk)
      try expectContextError(.noStore, "a note") { _ = try context.fetch(FetchRequest("Note")) }
      try expect(context.fetch(FetchRequest("Book")) == [book] && book.isUpdated, "the book and its change")
      try context.save()
      let fresh = pair.newContext()
      try expect(Fixtures.text(fresh.existingObject(with: book.objectID), "title") == "Persuasion", "saved")
    },
    ContextCheck("a migration copies all into a new store, which takes the old one's place (migrate)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let before = try Self.fill(scenario)
      let identifier = scenario.store.identifier
      let early = scenario.newContext()
      let held = try early.fetch(FetchRequest("Person"))
      let description = PersistentStoreDescription(type: InMemoryStore.storeType)
      let new = try await scenario.coordinator.migratePersistentStore(scenario.store, to: description)
      let stores = scenario.coordinator.persistentStores
      try expect(stores.count == 1 && stores[0] === new, "in its place")
      try expect(new is InMemoryStore && new.identifier != identifier, "another one")
      let fresh = scenario.newContext()
      try expect(Self.contents(fresh) == before, "everything is there")
      try expect(Self.contents(early) == before, "for contexts of before too")
      try expect(held.allSatisfy { $0.managedObjectContext == nil }, "whose old objects were released")
      let people = try fresh.fetch(FetchRequest("Person"))
      try expect(people.allSatisfy { $0.objectID.storeIdentifier == new.identifier }, "under new IDs")
      let born = try Fixtures.person(fresh, "born")
      try people[0].set("motto", "changed")
      try fresh.save()
      try expect(!people.map(\.objectID).contains(born.objectID), "a number of its own")
      try expect(
        scenario.newContext().count(for: FetchRequest("Person")) == people.count + 1, "and it goes on")
    },
    ContextCheck("a migration of one of two stores leaves the other as it is, a stranger's is refused") {
      factory in
      let pair = try await Pair(factory)
      let context = pair.newContext()
      let (book, note) = (try pair.book(context, "Emma"), try pair.note(context, "read"))
      let chapter = try context.insert("Chapter")
      try chapter.setObject(book, forKey: "book")
      try context.save()
      let description = PersistentStoreDescription(type: InMemoryStore.storeType)
      let stranger = try await Self.memory(pair.coordinator.managedObjectModel)
      do {
        _ = try await pair.coordinator.migratePersistentStore(stranger, to: description)
        try expect(false, "a stranger's store must be refused")
      } catch let error as ContextError {
        try expect(error.code == .noStore, "got \(error.code)")
      }
      let new = try await pair.coordinator.migratePersistentStore(pair.library, to: description)
      let stores = Set(pair.coordinator.persistentStores.map { $0.identifier })
      try expect(stores == [new.identifier, pair.desk.identifier], "both")
      let fresh = pair.newContext()
      let copy = try fresh.fetch(FetchRequest("Book"))
      try expect(Fixtures.names(copy, "title") == ["Emma"], "the book")
      try expect(copy[0].objects("chapters").count == 1, "with its chapter")
      try expect(copy[0].objectID.storeIdentifier == new.identifier, "in the new store")
      try expect(Fixtures.text(fresh.existingObject(with: note.objectID), "text") == "read", "the note")
      try pair.note(fresh, "more").set("book", "Emma")
      _ = try pair.book(fresh, "Persuasion")
      try fresh.save()
      try expect(pair.newContext().count(for: FetchRequest("Book")) == 2, "both go on")
    },
  ]

  /// An open store that forgets.
  private static func memory(_ model: ManagedObjectModel) async throws -> any IncrementalStore {
    let description = PersistentStoreDescription(type: InMemoryStore.storeType)
    let store = InMemoryStore(model: model, description: description)
    try await store.loadMetadata()
    return store
  }

  /// Fills an scenario with something of everything, and answers what is in it.
  private static func fill(_ scenario: ContextScenario) throws -> [String] {
    let context = scenario.newContext()
    let firms = try (0..<2).map { try Fixtures.company(context, "firm \($0)") }
    let tags = try (0..<4).map { (number: Int) in try Fixtures.tag(context, "tag \(number)", rank: number) }
    let people = try (0..<6).map { try Fixtures.person(context, "person \($0)", age: 20 + $0) }
    let home = try context.insert("Address")
    try home.set("street", "Main \(scenario.null) Road")
    for (number, person) in people.enumerated() {
      if number > 2 {
        try person.set("motto", "é\(scenario.null)\(number)")
      } else {
        try person.set("age", Int?.none)
      }
      try person.setObject(firms[number % 2], forKey: "employer")
      try person.setObject(home, forKey: number < 3 ? "home" : "office")
      try person.add(people[(number + 1) % 6], to: "friends")
      try person.setObjects([tags[(number + 3) % 4], tags[number % 4]], forKey: "favourites")
      let tasks = try ["a", "b", "c"].map { try Fixtures.task("\($0) of \(number)", of: person, in: context) }
      try person.setObjects([tasks[1], tasks[2], tasks[0]], forKey: "tasks")
      try tasks[0].setObject(tasks[2], forKey: "next")
    }
    try people[0].setObject(people[5], forKey: "spouse")
    try people[1].setObject(people[0], forKey: "manager")
    try firms[1].add(people[2], people[4], to: "board")
    for tag in tags { try tag.setObjects([people[4], people[1], people[3]], forKey: "people") }
    let nodes = try (0..<3).map { number in
      let node = try context.insert("Node")
      try node.set("number", number)
      return node
    }
    try nodes[0].setObject(nodes[1], forKey: "next")
    try nodes[2].setObject(nodes[0], forKey: "loose")
    try context.save()
    try context.delete(people[3])
    try tags[0].set("colour", "red")
    try context.save()
    return try contents(scenario.newContext())
  }

  /// All that a context's store holds: each object's values, and the names of what its
  /// relationships lead to.
  private static func contents(_ context: ManagedObjectContext) throws -> [String] {
    func name(_ object: ManagedObject?) throws -> String {
      guard let object else { return "nothing" }
      let key = ["name", "title", "street", "number"].first { object.entity.attribute(named: $0) != nil }
      return try key.map { "\(try object.value(forKey: $0))" } ?? "-"
    }
    func text(_ object: ManagedObject, _ entity: EntityDescription) throws -> String {
      var parts = ["\(entity.name) v\(try object.version)"]
      for attribute in entity.attributes where !attribute.isTransient {
        parts.append("\(try object.value(forKey: attribute.name))")
      }
      for relationship in entity.relationships {
        if relationship.isToMany {
          let names = try object.objects(relationship.name).map { try name($0) }
          parts.append("\(relationship.isOrdered ? names : names.sorted())")
        } else {
          parts.append(try name(object.object(relationship.name)))
        }
      }
      return parts.joined(separator: " ")
    }
    var all: [String] = []
    for entity in context.persistentStoreCoordinator.managedObjectModel.entities {
      let objects: [ManagedObject] = try context.fetch(FetchRequest(entity.name))
      all += try objects.map { try text($0, entity) }.sorted()
    }
    return all
  }
}

/// A coordinator of two stores: books in the factory's, notes in one in memory.
private struct Pair {
  let coordinator: PersistentStoreCoordinator
  let library: any IncrementalStore
  let desk: any IncrementalStore

  init(_ factory: any StoreFactory) async throws {
    let entities = [
      Entity("Book") {
        Attribute("title", .string)
        Relationship("chapters", toMany: "Chapter", inverse: "book", deleteRule: .cascade)
      },
      Entity("Chapter") { Relationship("book", to: "Book", inverse: "chapters") },
      Entity("Note") {
        Attribute("text", .string)
        Attribute("book", .string)
      },
    ]
    let model = try ManagedObjectModel(
      ModelDeclaration(
        entities: entities, configurations: ["Library": ["Book", "Chapter"], "Desk": ["Note"]]))
    coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    library = try await factory.makeStore(model)
    let description = PersistentStoreDescription(type: InMemoryStore.storeType)
    let memory = InMemoryStore(model: model, description: description)
    try await memory.loadMetadata()
    desk = memory
    try coordinator.addPersistentStore(library, configuration: "Library")
    try coordinator.addPersistentStore(desk, configuration: "Desk")
  }

  func newContext() -> ManagedObjectContext { ManagedObjectContext(coordinator) }

  func book(_ context: ManagedObjectContext, _ title: String) throws -> ManagedObject {
    let book = try context.insert("Book")
    try book.set("title", title)
    return book
  }

  func note(_ context: ManagedObjectContext, _ text: String) throws -> ManagedObject {
    let note = try context.insert("Note")
    try note.set("text", text)
    return note
  }
}
