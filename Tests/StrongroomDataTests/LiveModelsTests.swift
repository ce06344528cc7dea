import Foundation
import StrongroomData
import Testing

@Suite("Live results")
@MainActor struct LiveModelsTests {
  @Test("They follow the context, and what others save")
  func following() async throws {
    let place = try Place()
    let container = try place.container(for: Team.self)
    let main = container.mainContext
    main.autosaveEnabled = false
    let live = try LiveModels(
      FetchDescriptor<Player>(predicate: #Predicate { $0.age > 20 }, sortBy: [SortDescriptor(\.name)]),
      in: main)
    #expect(live.models.isEmpty && live.count == 0)
    let (ada, bob) = (Player(name: "Ada"), Player(name: "Bob"))
    ada.age = 30
    bob.age = 10
    main.insert(bob)
    main.insert(ada)
    let watch = Watch()
    _ = watch.track { live.models.count }
    main.processPendingChanges()
    #expect(live.models == [ada] && watch.count == 1)
    bob.age = 40
    main.processPendingChanges()
    #expect(live.models == [ada, bob])
    try main.save()
    let other = ModelContext(container)
    let cay = Player(name: "Aa")
    cay.age = 50
    other.insert(cay)
    try other.save()
    for _ in 0..<200 where live.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(live.models.map(\.name) == ["Aa", "Ada", "Bob"] && live.failure == nil)
  }
}
