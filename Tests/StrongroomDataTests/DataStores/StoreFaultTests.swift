import Foundation
import Locks
import Observation
import StoreContract
import StrongroomData
import Testing

@Suite("A program's own store that does something wrong, or otherwise")
struct StoreFaultTests {
  private let ledger = LedgerStore.Ledger()

  private func container() throws -> ModelContainer {
    try ModelContainer(for: Entry.self, configurations: LedgerConfiguration(ledger: ledger))
  }

  private func set(_ fault: LedgerStore.Fault?) { ledger.state.withLock { $0.fault = fault } }

  private func filled() throws -> ModelContainer {
    let container = try container()
    let context = ModelContext(container)
    let group = Entry("all")
    for number in 1...3 { context.insert(Entry("entry \(number)", amount: number, group: group)) }
    try context.save()
    return container
  }

  @Test("A program's own snapshot type saves values, and a relationship shows at both ends")
  func ownSnapshots() throws {
    let container = try filled()
    #expect(ledger.state.withLock { $0.rows.values.compactMap(\.groupTitle) } == ["all", "all", "all"])
    let context = ModelContext(try self.container())
    let descriptor = FetchDescriptor<Entry>(
      predicate: #Predicate { $0.group != nil }, sortBy: [SortDescriptor(\.amount, order: .reverse)])
    let found = try context.fetch(descriptor)
    #expect(found.map(\.amount) == [3, 2, 1])
    let group = try #require(found[0].group)
    #expect(group.title == "all" && Set(group.members) == Set(found))
    #expect(try context.fetchCount(descriptor) == 3)
    context.delete(group)
    try context.save()
    #expect(ledger.state.withLock { $0.rows.values.allSatisfy { $0.group == nil } && $0.rows.count == 3 })
    withExtendedLifetime(container) {}
  }

  @Test(
    "Models are changed and deleted under the store's identifier, whatever it looks like",
    arguments: [
      "the ledger", "", "6F9619FF-8B86-4D01-B42D-00CF4FC964FF", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
    ])
  func storeIdentifiers(_ identifier: String) throws {
    func open() throws -> ModelContainer {
      try ModelContainer(
        for: Entry.self, configurations: LedgerConfiguration(identifier: identifier, ledger: ledger))
    }
    let context = ModelContext(try open())
    let (one, two) = (Entry("one"), Entry("two"))
    two.group = one
    context.insert(two)
    try context.save()
    let named = try PersistentIdentifier.identifier(
      for: identifier, entityName: "Entry", primaryKey: ledger.state.withLock { $0.keys["two"] ?? 0 })
    #expect(two.persistentModelID == named)
    let other = ModelContext(try open())
    let found = try #require(try other.fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.title)])).last)
    #expect(found.persistentModelID == named && found.group?.title == "one")
    found.amount = 5
    try other.save()
    #expect(ledger.state.withLock { $0.rows[named]?.amount == 5 && $0.rows.count == 2 })
    other.delete(found)
    try other.save()
    #expect(ledger.state.withLock { $0.rows.values.map(\.title) } == ["one"])
    #expect(try ModelContext(try open()).fetchCount(FetchDescriptor<Entry>()) == 1)
  }

  @Test("A snapshot with a temporary identifier is not written where the next launch would not know it")
  func temporaries() throws {
    let team = Team(name: "Reds")
    let player = Player(name: "Ada", team: team)
    var none: [PersistentIdentifier: any BackingData] = [:]
    let snapshot = DefaultSnapshot(from: player.persistentBackingData, relatedBackingDatas: &none)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(snapshot) }
    let own = try PersistentIdentifier.identifier(for: "s", entityName: "Player", primaryKey: "ada")
    let half = snapshot.copy(persistentIdentifier: own)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(half) }
    let reds = try PersistentIdentifier.identifier(for: "s", entityName: "Team", primaryKey: "reds")
    let whole = snapshot.copy(
      persistentIdentifier: own, remappedIdentifiers: [team.persistentModelID: reds])
    let data = try JSONEncoder().encode(whole)
    #expect(try JSONDecoder().decode(DefaultSnapshot.self, from: data).persistentIdentifier == own)
  }

  @Test(
    "A missing value and one of another type are errors that name the property",
    arguments: [
      (LedgerStore.Fault.missing, "title"), (.mismatch, "amount"),
    ])
  func values(_ fault: LedgerStore.Fault, _ property: String) throws {
    let container = try filled()
    set(fault)
    let error = #expect(throws: StoreError.self) {
      try ModelContext(container).fetch(FetchDescriptor<Entry>())
    }
    #expect(error?.code == .invalidValue && error?.message.contains("Entry") == true)
    #expect(error?.message.contains(property) == true && error?.message.contains("much") == false)
    set(nil)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Entry>()) == 4)
  }

  @Test(
    "A new model without an identifier, or with another's, is an error of the save",
    arguments: [
      LedgerStore.Fault.unnamed, .sameName, .otherStore,
    ])
  func identifiers(_ fault: LedgerStore.Fault) throws {
    let container = try filled()
    let context = ModelContext(container)
    set(fault)
    context.insert(Entry("new"))
    #expect(throws: StoreError.self) { try context.save() }
    #expect(context.hasChanges)
  }

  @Test("What the store throws comes out of the save, and changes stay")
  func failing() throws {
    let container = try filled()
    let context = ModelContext(container)
    let entry = try #require(
      try context.fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.title)])).last)
    entry.amount = 77
    context.insert(Entry("new"))
    set(.full)
    #expect(throws: LedgerStore.Full.self) { try context.save() }
    #expect(context.hasChanges && entry.amount == 77)
    let failure = #expect(throws: SwiftDataError.self) { try self.container() }
    #expect(failure == .loadIssueModelContainer && failure?.cause is LedgerStore.Full)
    set(nil)
    try context.save()
    #expect(!context.hasChanges && ledger.state.withLock { $0.rows.count } == 5)
    #expect(ledger.state.withLock { $0.rows.values.contains { $0.amount == 77 } })
  }

  @Test("A condition that the store refuses is an error; unless it prefers to leave it")
  func predicates() throws {
    let container = try filled()
    set(.badPredicate)
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try ModelContext(container).fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.amount > 1 }))
    }
  }

  @Test("The place in the store's history is in the notification of a save")
  func tokens() throws {
    let context = ModelContext(try container())
    let tokens = Locked<[[Int]]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let list = notification.userInfo?[ModelContext.NotificationKey.historyTokens] as? [any HistoryToken]
      let places = (list ?? []).compactMap { ($0 as? LedgerToken)?.tokenValue }
      tokens.withLock { $0.append(places) }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Entry("one"))
    try context.save()
    context.insert(Entry("two"))
    try context.save()
    #expect(tokens.withLock { $0 } == [[1], [2]])
  }

  @Test("A new model that is in a to-many of another new one is there for other contexts")
  func insertedInAnyOrder() throws {
    let place = try Place()
    try StoreKind.$current.withValue(.json) {
      for first in [true, false] {
        let container = try place.container(for: Team.self)
        let context = ModelContext(container)
        let (team, player) = (Team(name: "Reds"), Player(name: "Ada"))
        if first { context.insert(player) }
        context.insert(team)
        player.team = team
        try context.save()
        for container in [container, try place.container(for: Team.self)] {
          let found = try ModelContext(container).fetch(FetchDescriptor<Team>())
          #expect(found.map(\.players.count).allSatisfy { $0 == 1 } && !found.isEmpty)
        }
      }
    }
  }

  @Test("A key that two classes of a hierarchy have is an error that names them")
  func sharedKeys() throws {
    let place = try Place()
    let file = place.url.appendingPathExtension("json")
    func container() throws -> ModelContainer {
      try ModelContainer(
        for: Dog.self, configurations: JSONStoreConfiguration(name: "json", fileURL: file))
    }
    let context = ModelContext(try container())
    context.insert(Dog(name: "Rex", breed: "Boxer"))
    context.insert(Animal(name: "Tom"))
    try context.save()
    var text = try String(contentsOf: file, encoding: .utf8)
    let keys = try context.fetch(FetchDescriptor<Animal>()).map {
      try #require("\($0.persistentModelID)".split(separator: "\"").dropFirst().first)
    }
    text = text.replacingOccurrences(of: keys[0], with: keys[1])
    try text.write(to: file, atomically: true, encoding: .utf8)
    let error = #expect(throws: StoreError.self) {
      try ModelContext(try container()).fetch(FetchDescriptor<Animal>())
    }
    #expect(error?.message.contains("Dog") == true && error?.message.contains("Animal") == true)
  }

  @Test("Values that the store sets while it saves show in the models")
  func reregistered() throws {
    let container = try filled()
    let context = ModelContext(container)
    let entries = try context.fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.amount == 2 }))
    set(.stamps)
    entries[0].amount = 20
    try context.save()
    #expect(entries[0].stamp == 1 && entries[0].amount == 20 && !context.hasChanges)
    entries[0].amount = 21
    try context.save()
    #expect(entries[0].stamp == 2)
  }

  @Test("A row that another context changed is merged, and one that went elsewhere is noticed")
  func conflicts() throws {
    let container = try filled()
    let (one, other) = (ModelContext(container), ModelContext(container))
    let order = [SortDescriptor(\Entry.title)]
    let mine = try one.fetch(FetchDescriptor<Entry>(sortBy: order))
    let theirs = try other.fetch(FetchDescriptor<Entry>(sortBy: order))
    mine[1].amount = 100
    try one.save()
    theirs[1].note = "seen"
    try other.save()
    let row = ledger.state.withLock { $0.rows[mine[1].persistentModelID] }
    #expect(row?.amount == 100 && row?.note == "seen")
    // Another program took it out of the ledger.
    ledger.state.withLock { _ = $0.rows.removeValue(forKey: mine[2].persistentModelID) }
    #expect(try one.fetch(FetchDescriptor<Entry>(sortBy: order)).count == 3)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Entry>()) == 3)
  }

  @Test("The store knows who edits, and when a context begins and ends")
  func editing() throws {
    let container = try container()
    do {
      let context = ModelContext(container)
      context.author = "sync"
      context.insert(Entry("a"))
      try context.save()
      let id = context.editingState.id
      #expect(
        ledger.state.withLock { $0.authors == ["sync"] && $0.began.contains(id) && !$0.ended.contains(id) })
    }
    #expect(ledger.state.withLock { $0.began == $0.ended && $0.began.count == 1 })
  }

  @Test("An own store beside an encrypted one, each with its classes")
  func beside() throws {
    let place = try Place()
    let encrypted = ModelConfiguration(
      schema: Schema([Sponsor.self]), url: place.url, keyVault: place.vault)
    let own = LedgerConfiguration(schema: Schema([Entry.self]), ledger: ledger)
    let stores: [any DataStoreConfiguration] = [encrypted, own]
    let container = try ModelContainer(
      for: Schema([Sponsor.self, Entry.self]), configurations: stores)
    let context = ModelContext(container)
    context.insert(Entry("mine"))
    context.insert(Sponsor(name: "Acme"))
    try context.save()
    #expect(ledger.state.withLock { $0.rows.count } == 1)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Sponsor>()) == 1)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Entry>()).map(\.title) == ["mine"])
  }

  @Test("A store made by hand takes and gives snapshots")
  func byHand() throws {
    let place = try Place()
    let store = try DefaultStore(
      ModelConfiguration(schema: Schema([Team.self]), url: place.url, keyVault: place.vault))
    let state = EditingState(author: "hand")
    let team = Team(name: "Reds")
    let player = Player(name: "Ada", team: team)
    var none: [PersistentIdentifier: any BackingData] = [:]
    let (one, two) = (
      DefaultSnapshot(from: team.persistentBackingData, relatedBackingDatas: &none),
      DefaultSnapshot(from: player.persistentBackingData, relatedBackingDatas: &none)
    )
    let result = try store.save(
      DataStoreSaveChangesRequest(editingState: state, inserted: [one, two], updated: [], deleted: []))
    #expect(result.remappedIdentifiers.count == 2 && result.storeIdentifier == store.identifier)
    let request = DataStoreFetchRequest(
      descriptor: FetchDescriptor<Player>(predicate: #Predicate { $0.team?.name == "Reds" }),
      editingState: state)
    let found = try store.fetch(request).fetchedSnapshots
    #expect(found.map(\.persistentIdentifier) == [result.remappedIdentifiers[two.persistentIdentifier]])
    #expect(try store.fetchHistory(HistoryDescriptor()).map(\.author) == ["hand"])
    try store.delete(DataStoreBatchDeleteRequest<Player>(editingState: state))
    #expect(try store.fetchCount(request) == 0)
  }

  @Test("A list tells when it cannot follow, and when it can again")
  @MainActor
  func lists() throws {
    let context = try filled().mainContext
    // A limit: the store is asked after each change.
    var descriptor = FetchDescriptor<Entry>(
      predicate: #Predicate { $0.amount > 0 }, sortBy: [.init(\.amount)])
    descriptor.fetchLimit = 2
    let observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: context)
    let observed = Locked(0)
    var calls = 0
    observer.onChange = { calls += 1 }
    withObservationTracking {
      _ = observer.failure
    } onChange: {
      observed.withLock { $0 += 1 }
    }
    let shown = observer.results.map { $0 }
    #expect(shown.map(\.amount) == [1, 2])
    context.delete(shown[0])
    set(.mismatch)
    context.processPendingChanges()
    #expect(observer.failure != nil && calls == 1 && observed.withLock { $0 } == 1)
    set(nil)
    context.insert(Entry("other", amount: 1))
    context.processPendingChanges()
    #expect(observer.failure == nil && calls > 1)
    #expect(observer.results.map(\.amount) == [1, 2])
  }
}
