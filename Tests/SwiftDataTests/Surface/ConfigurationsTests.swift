// What a container is configured with, and containers, contexts and descriptors as values.

import Foundation
import SwiftData
import Testing

@Suite("Configurations, containers and contexts as values")
struct ConfigurationsTests {
  private let url = URL(fileURLWithPath: "/nowhere/quay.store")

  @Test("A configuration is a value that is identified by its URL")
  func configurations() async throws {
    let one = ModelConfiguration("quay", schema: Schema([Harbor.self]), url: url)
    let other = ModelConfiguration("quay", schema: Schema([Orchard.self]), url: url)
    try expectHashed(
      ModelConfiguration("quay", schema: Schema([Harbor.self]), url: url) as any Hashable, one, other)
    #expect(one != ModelConfiguration("quay", schema: Schema([Harbor.self]), url: url, allowsSave: false))
    #expect(identity(ModelConfiguration(url: url) as any Identifiable) == AnyHashable(url))
    let shown: any CustomDebugStringConvertible = ModelConfiguration("quay", url: url)
    #expect(shown.debugDescription == "ModelConfiguration quay: /nowhere/quay.store")
    let memory = ModelConfiguration("quay", isStoredInMemoryOnly: true)
    #expect(memory.debugDescription == "ModelConfiguration quay: in memory" && memory.id != one.id)
    let sentOne = await sent(ModelConfiguration("quay", url: url) as any Sendable) as? ModelConfiguration
    #expect(sentOne?.url == url && sentOne?.name == "quay")
  }

  @Test("A configuration has a schema, a group and a cloud of its own")
  func members() throws {
    var configuration = ModelConfiguration("quay", isStoredInMemoryOnly: true)
    #expect(configuration.schema == nil)
    configuration.schema = Schema([Harbor.self])
    #expect(configuration.schema?.entity(for: Trawler.self)?.name == "Trawler")
    let group: ModelConfiguration.GroupContainer = configuration.groupContainer
    let cloud: ModelConfiguration.CloudKitDatabase = configuration.cloudKitDatabase
    #expect(group == ModelConfiguration.GroupContainer.automatic && cloud == .automatic)
    let shared = ModelConfiguration("quay", groupContainer: .identifier("org.quay"))
    #expect(shared.groupContainer != group && shared.groupAppContainerIdentifier == "org.quay")
    #expect(shared.url.path.hasSuffix("/org.quay/quay.store"))
    #expect(throws: SwiftDataError.unsupportedConfiguration) {
      try ModelConfiguration(cloudKitDatabase: .private("quay")).validate()
    }
  }

  @Test("Generic code has the store of a configuration")
  func generic() throws {
    func check<Configuration: DataStoreConfiguration>(
      _ configuration: Configuration
    ) throws -> (String, String) {
      try configuration.validate()
      return ("\(Configuration.Store.self)", configuration.name)
    }
    let configuration: any DataStoreConfiguration = ModelConfiguration("quay", isStoredInMemoryOnly: true)
    let (store, name) = try check(configuration)
    #expect(store == "\(ModelConfiguration.Store.self)" && store == "DefaultStore" && name == "quay")
  }

  @Test("Containers and contexts are equal to themselves alone, and a container is sent")
  func identities() async throws {
    let (context, other) = (try ModelContext.harbor(), try ModelContext.harbor())
    let container = context.container
    let equal: any Equatable = container as ModelContainer
    let own: any Equatable = context as ModelContext
    #expect(isEqual(equal, ModelContext(container).container) && !isEqual(equal, other.container))
    #expect(isEqual(own, context) && !isEqual(own, ModelContext(container)))
    #expect(context == context && context != other)
    let sentOne = await sent(container as ModelContainer as any Sendable)
    #expect(sentOne as? ModelContainer == container)
    context.insert(Harbor("Brest"))
    #expect(context.debugDescription == "ModelContext: 1 new, 0 changed, 0 deleted")
    try context.save()
    #expect(context.debugDescription == "ModelContext: 0 new, 0 changed, 0 deleted")
  }

  @Test("Descriptors are equal where they fetch the same")
  func descriptors() async throws {
    func longer(than length: Int) -> FetchDescriptor<Trawler> {
      FetchDescriptor(predicate: #Predicate { $0.length > length }, sortBy: [SortDescriptor(\.name)])
    }
    let equal: any Equatable = longer(than: 10) as FetchDescriptor<Trawler>
    #expect(isEqual(equal, longer(than: 10)) && !isEqual(equal, longer(than: 11)))
    var limited = longer(than: 10)
    limited.fetchLimit = 1
    #expect(!isEqual(equal, limited))
    let sentOne = await sent(limited as FetchDescriptor<Trawler> as any Sendable)
    let context = try ModelContext.harbor()
    for name in ["Bella", "Anna", "Cora"] { context.insert(Trawler(name, length: name.count * 3)) }
    let descriptor = try #require(sentOne as? FetchDescriptor<Trawler>)
    #expect(try context.fetch(descriptor).map(\.name) == ["Anna"])
  }

  @Test("Results are a collection with its own indices and slices")
  func results() throws {
    let context = try ModelContext.harbor()
    for name in ["Bella", "Anna", "Cora"] { context.insert(Trawler(name)) }
    try context.save()
    let descriptor = FetchDescriptor<Trawler>(sortBy: [SortDescriptor(\.name)])
    let results: FetchResultsCollection<Trawler> = try context.fetch(descriptor, batchSize: 2)
    let names = results as FetchResultsCollection<Trawler> as any RandomAccessCollection<Trawler>
    #expect(names.map(\.name) == ["Anna", "Bella", "Cora"] && names.reversed().first?.name == "Cora")
    let first: FetchResultsCollection<Trawler>.Index = results.startIndex
    let indices: FetchResultsCollection<Trawler>.Indices = results.indices
    let rest: FetchResultsCollection<Trawler>.SubSequence = results.dropFirst()
    var iterator: FetchResultsCollection<Trawler>.Iterator = results.makeIterator()
    #expect(results[first].name == "Anna" && Array(indices) == [0, 1, 2])
    #expect(rest.map(\.name) == ["Bella", "Cora"] && rest.startIndex == 1)
    #expect(iterator.next()?.name == "Anna" && iterator.next()?.name == "Bella")
  }

  @Test("A save's notification has identifiers under its keys and their raw values")
  func notifications() async throws {
    typealias Key = ModelContext.NotificationKey
    let keys: [Key] = [
      .insertedIdentifiers, .updatedIdentifiers, .deletedIdentifiers, .refreshedIdentifiers, .historyTokens,
      .invalidatedAllIdentifiers, .queryGeneration,
    ]
    for key in keys {
      let raw: ModelContext.NotificationKey.RawValue = key.rawValue
      #expect(ModelContext.NotificationKey(rawValue: raw) == key && raw == "\(key)")
    }
    let raw: any RawRepresentable<String> = ModelContext.NotificationKey.queryGeneration
    #expect(raw.rawValue == "queryGeneration")
    #expect(Set(keys.map(\.rawValue)).count == 7 && Key(rawValue: "models") == nil)
    let context = try ModelContext.harbor()
    let (found, posts) = AsyncStream.makeStream(of: [String: Int].self)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let info = notification.userInfo ?? [:]
      let counts = keys.compactMap { key in
        (info[key.rawValue] as? [PersistentIdentifier]).map { (key.rawValue, $0.count) }
      }
      posts.yield(Dictionary(uniqueKeysWithValues: counts))
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    for name in ["Anna", "Bella"] { context.insert(Trawler(name)) }
    try context.save()
    var iterator = found.makeAsyncIterator()
    let counts = await iterator.next()
    #expect(counts == ["insertedIdentifiers": 2, "updatedIdentifiers": 0, "deletedIdentifiers": 0])
  }
}
