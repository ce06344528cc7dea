import Foundation
import Locks
import MinimalStore
import ObjectModel
import ObjectQuery
import PostgresServer
import SQLCipherStore
import StoreContract
import StoreTransfer
import StrongroomPostgres
import Testing

@Suite("A move", .enabled(if: PostgresServer.programs != nil))
struct StoreMoveTests {
  @Test("brings everything from a file to a server, to another one, and back", arguments: [1, 2, 3])
  func aroundTheWorld(seed: UInt64) async throws {
    let (model, places) = (try Harbour.model(), try Places())
    let first = try await Places.open(places.file("first"), model)
    try Harbour.fill(first, each: 60, seed: seed)
    let contents = try Harbour.contents(first)
    #expect(contents.count > 2000)
    let person = try #require(model.entity(named: "Person"))
    let gone = try first.obtainPermanentIDs(for: Array(repeating: person, count: 40))[39].reference
    var store = first
    for place in [try places.schema(), try places.schema(), places.file("copy"), places.file("last")] {
      let result = try await StoreMove(from: store, model: model).run(to: Places.type(place), place)
      #expect(result.differenceCount == 0 && result.objectCount == 60 * 8 && result.linkCount > 500)
      #expect(result.valueCount > 1500)
      store = try await Places.open(place, model)
      #expect(store.identifier != first.identifier)
      #expect(StoreMetadata.programs(store.metadata) == StoreMetadata.programs(first.metadata))
      let moved = try Harbour.contents(store)
      #expect(moved == contents, "\(place.type)")
      #expect(try StoreComparison.of(first, store, model: model).differences == [])
      // Numbers go on behind those that were given out.
      let new = try store.obtainPermanentIDs(for: [person])[0].reference
      let known = try store.fetchObjectIDs(FetchRequest("Person")).map(\.reference)
      #expect(new > gone && new > known.max() ?? .max)
      let history = try store.execute(.fetchHistory(after: nil)).transactions
      #expect(history.count == 1 && history.first?.changes?.count == 60 * 8)
    }
  }

  @Test("leaves references to deleted objects, of the rule \"no action\", without a destination")
  func leadingToNothing() async throws {
    let model = try ManagedObjectModel {
      Entity("Boat") { Relationship("owner", to: "Person", deleteRule: .noAction) }
      Entity("Person") { Attribute("name", .string) }
    }
    let places = try Places()
    let source = try await Places.open(places.file("source"), model)
    let ids = try source.obtainPermanentIDs(for: model.entities.sorted { $0.name < $1.name })
    var save = SaveChangesRequest()
    let builder = NodeBuilder()
    for id in ids {
      builder.begin(fieldCount: id.entity.fieldCount)
      if id.entity.name == "Boat" { builder.set(0, integer: ids[1].reference) }
      save.inserted.append(builder.finish(id.storeEntity, reference: id.reference, version: 1))
    }
    try source.save(save)
    save = SaveChangesRequest()
    save.deleted = [LockedObject(objectID: ids[1], version: 1)]
    try source.save(save)
    var store = source
    for place in [try places.schema(), places.file("back"), try places.schema()] {
      _ = try await StoreMove(from: store, model: model).run(to: Places.type(place), place)
      store = try await Places.open(place, model)
      let boats = try store.fetchNodes(FetchRequest("Boat"), lookup: nil)
      #expect(boats.map { $0.reference(0) } == [ids[1].reference])
      #expect(try store.obtainPermanentIDs(for: [ids[1].entity])[0].reference > ids[1].reference)
    }
  }

  @Test("takes a store of one's own, and fills one with the numbers that it gives")
  func ownStores() async throws {
    let (model, places) = (try Harbour.model(), try Places())
    let nowhere = PersistentStoreDescription(type: MinimalStore.storeType)
    let own = MinimalStore(model: model, description: nowhere)
    try await own.loadMetadata()
    try Harbour.fill(own, each: 20, seed: 4)
    let contents = try Harbour.contents(own)
    for place in [places.file("file"), try places.schema()] {
      let move = try StoreMove(from: own, model: model)
      #expect(try await move.run(to: Places.type(place), place).differences == [])
      let store = try await Places.open(place, model)
      #expect(try Harbour.contents(store) == contents)
      let back: any IncrementalStore = InMemoryStore(model: model, description: nowhere)
      try await back.loadMetadata()
      // So that its numbers are others.
      _ = try back.obtainPermanentIDs(for: model.entities)
      let result = try StoreMove(from: store, model: model).run(into: back)
      #expect(result.differenceCount == 0 && result.objectCount == 20 * 8 && result.linkCount > 100)
      #expect(try back.count(for: FetchRequest("Vessel")) == 60)
      let texts = contents.filter { $0.contains(".name = ") }.map { $0.split(separator: "=").last }
      let moved = try Harbour.contents(back).filter { $0.contains(".name = ") }.map {
        $0.split(separator: "=").last
      }
      #expect(moved.map { $0 ?? "" }.sorted() == texts.map { $0 ?? "" }.sorted())
      await #expect { try await move.run(to: MinimalStore.self, nowhere) } throws: {
        ($0 as? StoreError)?.code == .unsupportedRequest
      }
      #expect { try move.run(into: back) } throws: { ($0 as? StoreError)?.code == .fileExists }
    }
  }

  @Test("fills the least store that a stranger would write")
  func leastStore() async throws {
    let model = try ManagedObjectModel {
      Entity("Shelf") { Relationship("books", toMany: "Book", ordered: true) }
      Entity("Book") {
        Attribute("title", .string)
        Relationship("first", to: "Book")
        Relationship("sequels", toMany: "Book", inverse: "sequels")
      }
    }
    let places = try Places()
    let source = try await Places.open(places.file("source"), model)
    try Harbour.fill(source, each: 20, seed: 9)
    let least = MinimalStore(
      model: model, description: PersistentStoreDescription(type: MinimalStore.storeType))
    try await least.loadMetadata()
    let result = try StoreMove(from: source, model: model).run(into: least)
    #expect(result.differences == [] && result.objectCount == 40 && result.linkCount > 20)
    // A commit that fails leaves nothing.
    let failing = MinimalStore(
      model: model, description: PersistentStoreDescription(type: MinimalStore.storeType))
    try await failing.loadMetadata()
    failing.failsCommits.withLock { $0 = true }
    #expect(throws: StoreError.self) { try StoreMove(from: source, model: model).run(into: failing) }
    #expect(try Harbour.contents(failing).isEmpty)
  }

  @Test("leaves what is there as it is")
  func occupied() async throws {
    let (model, places) = (try Harbour.model(), try Places())
    let source = try await Places.open(places.file("source"), model)
    try Harbour.fill(source, each: 2, seed: 5)
    let move = try StoreMove(from: source, model: model)
    let (file, schema) = (places.file("other"), try places.schema())
    for place in [file, schema] {
      try await Places.open(place, model).close()
      await #expect { try await move.run(to: Places.type(place), place) } throws: {
        ($0 as? StoreError)?.code == .fileExists
      }
      let store = try await Places.open(place, model)
      #expect(try Harbour.contents(store).isEmpty)
    }
    let other = try ManagedObjectModel { Entity("Person") { Attribute("name", .string) } }
    #expect { try StoreMove(from: source, model: other) } throws: {
      ($0 as? StoreError)?.code == .modelMismatch
    }
    // A table of somebody else's.
    let taken = try places.schema()
    try PostgresServer.shared().execute(
      "CREATE SCHEMA \"\(taken.serverSchema)\"; CREATE TABLE \"\(taken.serverSchema)\".\"Person\" (a int)")
    await #expect { try await move.run(to: PostgresStore.self, taken) } throws: {
      ($0 as? StoreError)?.code == .schemaMismatch
    }
    #expect(try PostgresServer.shared().listing(taken.serverSchema) == ["Person.a integer "])
  }

  @Test("names every object with a text that no server stores, and makes nothing")
  func nullCharacters() async throws {
    let (model, places) = (try Harbour.model(), try Places())
    let source = try await Places.open(places.file("source"), model)
    try Harbour.fill(source, each: 40, seed: 6)
    var save = SaveChangesRequest()
    for (entity, property) in [("Person", "name"), ("Tag", "name"), ("Everything", "uri")] {
      let nodes = try source.fetchNodes(FetchRequest(entity), lookup: nil)
      let node = try #require(nodes.dropFirst(7).first)
      let builder = NodeBuilder()
      builder.begin(fieldCount: node.entity.fieldCount)
      for (field, stored) in node.entity.storedFields.enumerated() {
        if stored.name == property {
          Array("a\0b".utf8).withUnsafeBytes { builder.set(field, bytes: $0) }
        } else {
          builder.copy(field, from: node, isBytes: stored.isStoredAsBytes)
        }
      }
      let field = try #require(node.entity.storedFields.firstIndex { $0.name == property })
      var changed = PropertyIndexSet()
      changed.insert(field)
      save.updated.append(
        UpdatedObject(
          node: builder.finish(node.storeEntity, reference: node.reference, version: node.version + 1),
          changedFields: changed))
    }
    try source.save(save)
    let contents = try Harbour.contents(source)
    let schema = try places.schema()
    let move = try StoreMove(from: source, model: model)
    let error = await #expect(throws: StoreError.self) { try await move.run(to: PostgresStore.self, schema) }
    #expect(error?.code == .invalidValue)
    #expect(Set(error?.objectIDs.map(\.reference) ?? []) == Set(save.updated.map(\.node.reference)))
    for change in save.updated {
      let name = change.node.entity.name + (change.node.entity.name == "Everything" ? ".uri" : ".name")
      #expect(error?.message.contains("\(name) of object \(change.node.reference)") == true)
    }
    #expect(try !places.isThere(schema))
    #expect(try Harbour.contents(source) == contents)
    // A file takes them.
    #expect(try await move.run(to: SQLCipherStore.self, places.file("file")).differences == [])
  }

  @Test("brings one moment of a store that others write to")
  func concurrentWrites() async throws {
    let (model, places) = (try Harbour.model(), try Places())
    for place in [places.file("source"), try places.schema()] {
      let source = try await Places.open(place, model)
      try Harbour.fill(source, each: 30, seed: 7)
      let contents = try Harbour.contents(source)
      let others = try await Places.open(place, model)
      let entity = try #require(model.entity(named: "Person"))
      let written = Locked(0)
      let target = place.type == PostgresStore.storeType ? places.file("target") : try places.schema()
      let result = try await StoreMove(from: source, model: model).run(to: Places.type(target), target) { _ in
        _ = try? others.insert(into: entity) { row in
          try row.set("name", .string("new"))
          return written.withLock { count in
            count += 1
            return count % 2 == 1
          }
        }
        _ = try? others.delete(matching: FetchRequest("Tag"))
      }
      #expect(written.withLock { $0 } > 10 && result.differenceCount == 0)
      #expect(try source.count(for: FetchRequest("Tag")) == 0)
      let copy = try await Places.open(target, model)
      #expect(try Harbour.contents(copy) == contents)
    }
  }

  @Test("that is cancelled leaves nothing, and can be made again", arguments: [false, true])
  func cancelled(toServer: Bool) async throws {
    let (model, places) = (try Harbour.model(), try Places())
    let source = try await Places.open(places.file("source"), model)
    try Harbour.fill(source, each: 30, seed: 8)
    let target = toServer ? try places.schema() : places.file("target")
    let before = try places.names
    for step in [StoreMoveProgress.Step.moving, .comparing] {
      let task = Task {
        try await StoreMove(from: source, model: model).run(to: Places.type(target), target) { progress in
          if progress.step == step, progress.done > 0 { withUnsafeCurrentTask { $0?.cancel() } }
        }
      }
      await #expect { try await task.value } throws: { ($0 as? StoreError)?.code == .cancelled }
      #expect(try places.names == before)
      if toServer { #expect(try !places.isThere(target)) }
    }
    let move = try StoreMove(from: source, model: model)
    #expect(try await move.run(to: Places.type(target), target).differences == [])
  }

  @Test("says which objects a server cannot have as they are")
  func refusedValues() async throws {
    let places = try Places()
    let model = try ManagedObjectModel {
      Entity("Note") {
        Attribute("key", .string)
        UniquenessConstraint("key")
      }
    }
    let source = try await Places.open(places.file("source"), model)
    let note = try #require(model.entity(named: "Note"))
    func random(_ count: Int) -> AttributeValue {
      .string(String((0..<count).map { _ in Character(UnicodeScalar(UInt8.random(in: 33...126))) }))
    }
    var count = 0
    _ = try source.insert(into: note) { row in
      count += 1
      try row.set("key", count == 20 ? random(9000) : .string("\(count)"))
      return count <= 30
    }
    let schema = try places.schema()
    let move = try StoreMove(from: source, model: model)
    let error = await #expect(throws: StoreError.self) { try await move.run(to: PostgresStore.self, schema) }
    #expect(error?.code == .invalidValue && error?.message.contains("Note") == true)
    #expect(error?.message.contains("key") == true)
    #expect(try !places.isThere(schema))
  }
}
