// Stores as a program calls them that builds its own over them, and as a container calls them.

import Foundation
import SwiftData
import Testing

@Suite("Stores")
struct StoresTests {
  private let state = EditingState(author: "mate")

  private func store() throws -> DefaultStore {
    try DefaultStore(
      ModelConfiguration("quay", schema: Schema([Harbor.self]), isStoredInMemoryOnly: true))
  }

  private func snapshot<Model: PersistentModel>(of model: Model) -> DefaultSnapshot {
    var none: [PersistentIdentifier: any BackingData] = [:]
    return DefaultSnapshot(from: model.persistentBackingData, relatedBackingDatas: &none)
  }

  private func all<Model: PersistentModel>(_ type: Model.Type) -> DataStoreFetchRequest<Model> {
    DataStoreFetchRequest(descriptor: FetchDescriptor<Model>(), editingState: state)
  }

  /// Saves a trawler in a harbor; their identifiers.
  private func fill(_ store: DefaultStore) throws -> (
    harbor: PersistentIdentifier, trawler: PersistentIdentifier
  ) {
    let harbor = Harbor("Brest")
    let trawler = Trawler("Anna", harbor: harbor)
    let request = DataStoreSaveChangesRequest(
      editingState: state, inserted: [snapshot(of: harbor), snapshot(of: trawler)], updated: [], deleted: [])
    let result = try store.save(request)
    #expect(result.snapshotsToReregister.isEmpty && result.historyToken != nil)
    return (
      try #require(result.remappedIdentifiers[harbor.persistentModelID]),
      try #require(result.remappedIdentifiers[trawler.persistentModelID])
    )
  }

  @Test("A store in memory has its configuration's name and schema, and finds and deletes what it saved")
  func byHand() throws {
    let store = try store()
    let configuration: DefaultStore.Configuration = store.configuration
    #expect(store.name == "quay" && configuration.name == "quay" && configuration.isStoredInMemoryOnly)
    #expect(store.schema == Schema([Harbor.self]) && configuration.schema == store.schema)
    let ids = try fill(store)
    #expect(try store.fetchIdentifiers(all(Harbor.self)) == [ids.harbor])
    #expect(try store.fetchIdentifiers(all(Trawler.self)) == [ids.trawler])
    let found: DataStoreFetchResult<Trawler, DefaultStore.Snapshot> = try store.fetch(all(Trawler.self))
    #expect(found.descriptor == FetchDescriptor<Trawler>() && found.relatedSnapshots.isEmpty)
    #expect(found.fetchedSnapshots.map(\.persistentIdentifier) == [ids.trawler])
    try store.erase()
    #expect(try store.fetchCount(all(Harbor.self)) == 0 && store.fetchCount(all(Trawler.self)) == 0)
  }

  @Test("The default store has nothing of editors in memory")
  func states() throws {
    let store = try store()
    let ids = try fill(store)
    (store as DefaultStore).initializeState(for: state)
    let cached = try (store as DefaultStore).cachedSnapshots(for: [ids.trawler], editingState: state)
    #expect(cached.isEmpty)
    (store as DefaultStore).invalidateState(for: state)
    #expect(try store.fetchIdentifiers(all(Trawler.self)) == [ids.trawler])
  }

  @Test("The default store has a history of its saves, which is deleted")
  func history() throws {
    func kind<Store: HistoryProviding>(of store: Store) -> String {
      "\(Store.historyType as Store.HistoryType.Type)"
    }
    let store = try store()
    _ = try fill(store)
    let history: [DefaultStore.HistoryType] = try store.fetchHistory(HistoryDescriptor())
    #expect(history.map(\.author) == ["mate"] && history.first?.changes.count == 2)
    #expect(
      kind(of: store) == "DefaultHistoryTransaction" && "\(DefaultStore.historyType)" == kind(of: store))
    let token: DefaultStore.TokenType = try #require(history.last?.token)
    try store.deleteHistory(HistoryDescriptor(predicate: #Predicate { $0.token <= token }))
    #expect(try store.fetchHistory(HistoryDescriptor()).isEmpty)
  }

  @Test("Generic code calls the default store by its protocols")
  func generic() throws {
    func count<Store: DataStore>(in store: Store) throws -> (Int, String) {
      let snapshots: [Store.Snapshot] = try store.fetch(all(Trawler.self)).fetchedSnapshots
      let identifiers = try store.fetchIdentifiers(all(Trawler.self))
      #expect(snapshots.map(\.persistentIdentifier) == identifiers)
      #expect(try store.fetchCount(all(Trawler.self)) == identifiers.count)
      let configuration: Store.Configuration = store.configuration
      return (snapshots.count, configuration.name)
    }
    func clear(_ store: some DataStoreBatching) throws {
      try store.delete(
        DataStoreBatchDeleteRequest<Trawler>(editingState: state, predicate: #Predicate { $0.name == "Anna" })
      )
    }
    func transactions<Store: HistoryProviding>(of store: Store) throws -> Int {
      try store.fetchHistory(HistoryDescriptor<Store.HistoryType>()).count
    }
    let store = try store()
    _ = try fill(store)
    let any: any DataStore = store as DefaultStore
    let batching: any DataStoreBatching = store as DefaultStore
    let providing: any HistoryProviding = store as DefaultStore
    #expect(try count(in: any) == (1, "quay"))
    try clear(batching)
    #expect(try count(in: store) == (0, "quay"))
    #expect(try transactions(of: providing) == 2)
  }

  @Test("A snapshot has the keys of its properties, and moves to other identifiers")
  func snapshots() throws {
    func moved<Snapshot: DataStoreSnapshot>(_ one: Snapshot, to id: PersistentIdentifier)
      -> PersistentIdentifier
    {
      one.copy(persistentIdentifier: id, remappedIdentifiers: [:]).persistentIdentifier
    }
    let store = try store()
    let ids = try fill(store)
    let anna = try #require(try store.fetch(all(Trawler.self)).fetchedSnapshots.first)
    let other = try PersistentIdentifier.identifier(
      for: store.identifier, entityName: "Trawler", primaryKey: 77)
    let any: any DataStoreSnapshot = anna as DefaultSnapshot
    #expect(moved(any, to: other) == other)
    let coded = anna as DefaultSnapshot as any Codable
    let back = try JSONDecoder().decode(type(of: anna), from: JSONEncoder().encode(coded))
    #expect(back.persistentIdentifier == anna.persistentIdentifier)
    let longer = try anna.with("length", 44)
    _ = try store.save(
      DataStoreSaveChangesRequest(editingState: state, inserted: [], updated: [longer], deleted: []))
    let long = FetchDescriptor<Trawler>(predicate: #Predicate { $0.length == 44 })
    let request = DataStoreFetchRequest(descriptor: long, editingState: state)
    #expect(try store.fetchIdentifiers(request) == [ids.trawler])

    let key: any CodingKey = DataStoreSnapshotCodingKey.modeledProperty("length")
    #expect(key.stringValue == "length" && key.intValue == nil)
    #expect(DataStoreSnapshotCodingKey.modeledProperty("length").intValue == nil)
    #expect(DataStoreSnapshotCodingKey(intValue: 1) == nil)
    guard case .modeledProperty("length")? = DataStoreSnapshotCodingKey(stringValue: "length"),
      case .persistentIdentifier? = DataStoreSnapshotCodingKey(stringValue: "persistentIdentifier")
    else {
      Issue.record("keys are read by their names")
      return
    }
  }

  @Test("A container takes what a store changed, brought along and says of its history")
  func container() async throws {
    let place = try TestStore()
    defer { place.remove() }
    let schema = Schema([Harbor.self])
    let configuration = QuayConfiguration(file: place.configuration(for: schema))
    let container = try ModelContainer(for: schema, configurations: configuration)
    let context = ModelContext(container)
    context.author = "mate"
    let (tokens, posts) = AsyncStream.makeStream(of: [DefaultHistoryToken].self)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let found = notification.userInfo?[ModelContext.NotificationKey.historyTokens] as? [any HistoryToken]
      posts.yield((found ?? []).compactMap { $0 as? DefaultHistoryToken })
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let anna = Trawler("Anna", harbor: Harbor("Brest"))
    context.insert(anna)
    try context.save()
    #expect(anna.owner == "port" && configuration.log.all.contains("save by mate"))
    var iterator = tokens.makeAsyncIterator()
    let token = try #require(await iterator.next()?.first)
    #expect(token.tokenValue?.values.first == 2)

    // Another container, which knows no harbor yet.
    let fresh = QuayConfiguration(file: place.configuration(for: schema))
    let reader = ModelContext(try ModelContainer(for: schema, configurations: fresh))
    reader.author = "reader"
    let found = try #require(try reader.fetch(FetchDescriptor<Trawler>()).first)
    #expect(found.owner == "port" && found.harbor?.name == "Brest")
    #expect(fresh.log.all.contains { $0.hasPrefix("fetch Trawler") })
    #expect(!fresh.log.all.contains { $0.hasPrefix("fetch Harbor") })
    try reader.delete(model: Trawler.self, where: #Predicate { $0.name == "Anna" })
    try reader.save()
    #expect(fresh.log.all.contains("delete Trawler by reader"))
    #expect(try ModelContext(reader.container).fetchCount(FetchDescriptor<Trawler>()) == 0)
  }

  @Test("An editor's state is identified, and goes with requests to other tasks")
  func requests() async throws {
    let id: EditingState.ID = UUID()
    let state = EditingState(id: id, author: "mate")
    #expect(identity(EditingState(id: id) as any Identifiable) == AnyHashable(id))
    #expect(await sent(EditingState(id: id, author: "mate") as any Sendable) as? EditingState == state)

    let fetch = DataStoreFetchRequest(descriptor: FetchDescriptor<Trawler>(), editingState: state)
    let sentFetch = await sent(fetch as DataStoreFetchRequest<Trawler> as any Sendable)
    #expect((sentFetch as? DataStoreFetchRequest<Trawler>)?.editingState == state)
    let deletion = DataStoreBatchDeleteRequest<Trawler>(editingState: state, includeSubclasses: false)
    let sentDeletion = await sent(deletion as DataStoreBatchDeleteRequest<Trawler> as any Sendable)
    #expect((sentDeletion as? DataStoreBatchDeleteRequest<Trawler>)?.editingState == state)

    let store = try store()
    let harbor = Harbor("Brest")
    let save = DataStoreSaveChangesRequest(
      editingState: state, inserted: [snapshot(of: harbor)], updated: [], deleted: [])
    let sentSave = await sent(save as DataStoreSaveChangesRequest<DefaultSnapshot> as any Sendable)
    let request = try #require(sentSave as? DataStoreSaveChangesRequest<DefaultSnapshot>)
    let saved = try store.save(request)
    let sentSaved = await sent(saved as DataStoreSaveChangesResult<DefaultSnapshot> as any Sendable)
    let result = try #require(sentSaved as? DataStoreSaveChangesResult<DefaultSnapshot>)
    #expect(result.remappedIdentifiers.keys.contains(harbor.persistentModelID))
    let found = try store.fetch(all(Harbor.self))
    let sentFound = await sent(found as DataStoreFetchResult<Harbor, DefaultSnapshot> as any Sendable)
    let snapshots = (sentFound as? DataStoreFetchResult<Harbor, DefaultSnapshot>)?.fetchedSnapshots
    #expect(snapshots?.map(\.persistentIdentifier) == Array(result.remappedIdentifiers.values))
  }
}
