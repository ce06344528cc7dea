import Foundation
import StrongroomData
import Testing

@Suite("Live results", .configuredStores)
@MainActor struct ResultsObserverTests {
  @Test("They follow the context, and what others save")
  func following() async throws {
    let place = try Place()
    let container = try place.container(for: Team.self)
    let main = container.mainContext
    main.autosaveEnabled = false
    let live = try ResultsObserver(
      filterBy: #Predicate<Player> { $0.age > 20 }, sortBy: [SortDescriptor(\.name)], modelContext: main)
    #expect(live.results.isEmpty && live.results.count == 0)
    let (ada, bob) = (Player(name: "Ada"), Player(name: "Bob"))
    ada.age = 30
    bob.age = 10
    main.insert(bob)
    main.insert(ada)
    let watch = Watch()
    _ = watch.track { live.results.count }
    main.processPendingChanges()
    #expect(Array(live.results) == [ada] && watch.count == 1)
    bob.age = 40
    main.processPendingChanges()
    #expect(Array(live.results) == [ada, bob])
    try main.save()
    let other = ModelContext(container)
    let cay = Player(name: "Aa")
    cay.age = 50
    other.insert(cay)
    try other.save()
    for _ in 0..<8000 where live.results.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(live.results.map(\.name) == ["Aa", "Ada", "Bob"] && live.failure == nil)
  }

  @Test("They tell of what another container saves, also where only some properties are fetched")
  func partial() async throws {
    let place = try Place()
    let (container, neighbour) = (try place.container(for: Team.self), try place.container(for: Team.self))
    let main = container.mainContext
    main.insert(Player(name: "Ada"))
    main.insert(Player(name: "Bo"))
    try main.save()
    main.processPendingChanges()
    var descriptor = FetchDescriptor<Player>(sortBy: [SortDescriptor(\.name)])
    descriptor.propertiesToFetch = [\.name, \.age]
    let live = try ResultsObserver(fetchDescriptor: descriptor, modelContext: main)
    #expect(live.results.map(\.age) == [18, 18])
    var told: [String] = []
    live.onChanges = { changes in
      for case .update(let player, let place) in changes {
        told.append("\(player.name) \(player.age) \(place)")
      }
    }
    let other = ModelContext(neighbour)
    let ada = try #require(
      try other.fetch(FetchDescriptor<Player>(predicate: #Predicate { $0.name == "Ada" })).first)
    ada.age = 30
    try other.save()
    for _ in 0..<8000 where told.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    #expect(told == ["Ada 30 0"] && live.results.map(\.age) == [30, 18])
  }
}
