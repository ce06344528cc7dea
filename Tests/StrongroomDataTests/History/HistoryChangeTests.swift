import Foundation
import Strongroom
import StrongroomData
import Testing

@Suite("Changes in a history", .configuredStores)
struct HistoryChangeTests {
  @Test("inserts, updates and deletions are of their classes, with their models' identities")
  func kinds() throws {
    let history = try History(Parcel.self, Depot.self)
    let parcel = try history.save("Ada", by: "app")[0]
    let (id, code) = (parcel.persistentModelID, parcel.code)
    parcel.weight = 5
    parcel.recipient = "Bo"
    parcel.depot = Depot("North")
    try history.context.save()
    history.context.delete(parcel)
    try history.context.save()

    let transactions = try history.fetch()
    #expect(transactions.map(\.transactionIdentifier) == [1, 2, 3] && transactions.map(\.id) == [1, 2, 3])
    #expect(Set(transactions.map(\.storeIdentifier)) == [try #require(id.storeIdentifier)])
    #expect(transactions.allSatisfy { $0.author == "app" && abs($0.timestamp.timeIntervalSinceNow) < 60 })
    let process = ProcessInfo.processInfo
    #expect(Set(transactions.map(\.bundleIdentifier)) == [process.processName])
    #expect(Set(transactions.map(\.processIdentifier)) == ["\(process.processIdentifier)"])

    var seen: [String] = []
    for change in transactions.flatMap(\.changes) {
      switch change {
      case .insert(let insert as DefaultHistoryInsert<Parcel>):
        #expect(insert.changedPersistentIdentifier == id && change.changedPersistentIdentifier == id)
        #expect(insert.transactionIdentifier == 1 && insert.changeIdentifier == 1)
        seen.append("insert")
      case .update(let update as DefaultHistoryUpdate<Parcel>):
        #expect(update.changedPersistentIdentifier == id && update.transactionIdentifier == 2)
        #expect(update.updatedAttributes.contains(\.weight) && update.updatedAttributes.contains(\.depot))
        #expect(!update.updatedAttributes.contains(\.code) && update.updatedAttributes.count == 3)
        #expect(Set(update.changedPropertyNames) == ["weight", "recipient", "depot"])
        seen.append("update")
      case .delete(let delete as DefaultHistoryDelete<Parcel>):
        #expect(delete.changedPersistentIdentifier == id && delete.transactionIdentifier == 3)
        #expect(delete.tombstone[\.code] as? UUID == code)
        seen.append("delete")
      case .insert(_ as DefaultHistoryInsert<Depot>): seen.append("insert of a depot")
      case .update(let other): seen.append("update of \(other.changedPersistentIdentifier.entityName)")
      default: Issue.record("\(change)")
      }
    }
    #expect(
      seen.filter { $0 == "insert" || $0 == "update" || $0 == "delete" } == ["insert", "update", "delete"])
    #expect(seen.contains("insert of a depot"))
  }

  @Test("a tombstone has the values of preserved attributes, in their types")
  func tombstones() throws {
    let history = try History()
    let (full, empty) = (Parcel("Ada"), Parcel(nil))
    full.destination = Address(street: "High", number: 3)
    full.standing = .owner
    for parcel in [full, empty] { history.context.insert(parcel) }
    try history.context.save()
    let codes = [full.code, empty.code]
    for parcel in [full, empty] { history.context.delete(parcel) }
    try history.context.save()

    let deletions = try #require(try history.fetch().last).changes.compactMap { change in
      if case .delete(let delete as DefaultHistoryDelete<Parcel>) = change { delete } else { nil }
    }
    let found = Dictionary(
      uniqueKeysWithValues: deletions.map { ($0.tombstone[\.code] as? UUID, $0.tombstone) })
    let whole = try #require(found[codes[0]])
    #expect(whole[\.recipient] as? String == "Ada" && whole[\.standing] as? Standing == .owner)
    #expect(whole[\.destination] as? Address == Address(street: "High", number: 3))
    #expect(whole[\.weight] == nil && whole[\.depot] == nil)
    #expect(whole.map { "\(type(of: $0))" } == ["UUID", "String", "Address", "Standing"])
    let part = try #require(found[codes[1]])
    #expect(part[\.recipient] == nil && part[\.destination] == nil && Array(part).count == 2)
  }

  @Test("models of a subclass are reported as of it, with what it inherits")
  func subclasses() throws {
    let history = try History(Animal.self, Dog.self, Keeper.self)
    let dog = Dog(name: "Rex", breed: "Collie")
    history.context.insert(dog)
    try history.context.save()
    dog.breed = "Pug"
    dog.name = "Max"
    try history.context.save()
    let change = try #require(try history.fetch().last?.changes.first)
    guard case .update(let update as DefaultHistoryUpdate<Dog>) = change else {
      Issue.record("\(change)")
      return
    }
    #expect(Set(update.changedPropertyNames) == ["name", "breed"])
    #expect(update.updatedAttributes.contains(\.breed))
    #expect(update.updatedAttributes.map { "\(dog[keyPath: $0])" }.sorted() == ["Max", "Pug"])
  }

  @Test("what the engine writes is in the history, and what has no class is left out")
  func engine() throws {
    let history = try History(Parcel.self, Depot.self)
    let engine = ManagedObjectContext(history.container.persistentContainer.persistentStoreCoordinator)
    engine.transactionAuthor = "engine"
    let depot = try engine.insert("Depot")
    try depot.set("name", "South")
    try engine.save()
    let reader = try ModelContainer(
      for: Schema([Parcel.self, Depot.self]),
      configurations: [history.place.configuration()])
    let transactions = try ModelContext(reader).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(transactions.map(\.author) == ["engine"])
    guard case .insert(let insert as DefaultHistoryInsert<Depot>)? = transactions.first?.changes.first else {
      Issue.record("\(transactions)")
      return
    }
    let model = ModelContext(reader).model(for: insert.changedPersistentIdentifier) as? Depot
    #expect(model?.name == "South")
  }
}
