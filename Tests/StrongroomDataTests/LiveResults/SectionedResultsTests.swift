import Foundation
import Strongroom
import StrongroomData
import Testing

@Suite("Sectioned results", .configuredStores)
@MainActor struct SectionedResultsTests {
  private let place: Place
  private let container: ModelContainer
  private var context: ModelContext { container.mainContext }

  init() throws {
    place = try Place()
    container = try place.container(for: Team.self)
    context.autosaveEnabled = false
    for (name, nickname) in [("Ada", "x"), ("Bo", nil), ("Cy", "a"), ("Di", "x"), ("Ed", "")] {
      let player = Player(name: name)
      player.nickname = nickname
      context.insert(player)
    }
    try context.save()
  }

  private func shown(_ observer: ResultsObserver<Player, String>) -> [String] {
    observer.sections?.map { "\($0.title): \($0.map(\.name).joined(separator: " "))" } ?? []
  }

  @Test("Sections are ordered by the property, and models without a value are one")
  func sections() throws {
    let observer = try ResultsObserver(
      sortBy: [SortDescriptor<Player>(\.name, order: .reverse)], sectionBy: \.nickname,
      modelContext: context)
    #expect(shown(observer) == [": Bo Ed", "a: Cy", "x: Di Ada"])
    let sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["", "a", "x"] && sections.count == 3)
    #expect(sections[sectionTitle: "x"]?.map(\.name) == ["Di", "Ada"])
    #expect(sections[sectionTitle: "y"] == nil && sections[1].id == "a")
    #expect(observer.results.map(\.name) == ["Bo", "Ed", "Cy", "Di", "Ada"])
    #expect(observer.sortBy == [SortDescriptor(\.name, order: .reverse)])
    // An order by the property itself is the program's own.
    let reversed = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Player>(
        predicate: #Predicate { $0.nickname != nil },
        sortBy: [SortDescriptor(\.nickname, order: .reverse), SortDescriptor(\.name)]),
      sectionBy: \.nickname, modelContext: context)
    #expect(shown(reversed) == ["x: Ada Di", "a: Cy", ": Ed"])
  }

  @Test("Sections follow changes, and observers are notified")
  func following() throws {
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Player>(), sectionBy: \.name, modelContext: context)
    #expect(observer.sections?.count == 5)
    let watch = Watch()
    _ = watch.track { observer.sections?.count }
    let ada = try #require(observer.sections?[sectionTitle: "Ada"]?.first)
    ada.name = "Bo"
    context.processPendingChanges()
    #expect(observer.sections?[sectionTitle: "Bo"]?.count == 2 && watch.count == 1)
    #expect(observer.sections?[sectionTitle: "Ada"] == nil)
  }

  @Test("There are no sections without a property to section by")
  func none() throws {
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Player>(), modelContext: context)
    #expect(observer.sections == nil && observer.results.count == 5)
  }

  @Test("Another filter and another order are shown at once, and reported as changes", .encryptedStoresOnly)
  func filtering() throws {
    let observer = try ResultsObserver(sortBy: [SortDescriptor<Player>(\.name)], modelContext: context)
    var names = observer.results.map(\.name)
    var events = 0
    observer.onChange = { events += 1 }
    observer.onChanges = { changes in
      for change in changes {
        switch change {
        case .insert(let player, let place): names.insert(player.name, at: place)
        case .delete(_, let place): names.remove(at: place)
        case .move, .update: Issue.record("nothing moves")
        }
      }
    }
    let watch = Watch()
    _ = watch.track { observer.results.count }
    let store = try #require(
      try container.persistentContainer.persistentStoreCoordinator.persistentStore as? SQLCipherStore)
    let before = store.executedStatements
    observer.filterBy = #Predicate { $0.name > "B" && $0.name < "E" }
    #expect(store.executedStatements - before == 1)
    #expect(observer.results.map(\.name) == ["Bo", "Cy", "Di"] && names == ["Bo", "Cy", "Di"])
    #expect(watch.count == 1 && events == 1)
    observer.sortBy = [SortDescriptor(\.name, order: .reverse)]
    #expect(observer.results.map(\.name) == ["Di", "Cy", "Bo"] && names == ["Di", "Cy", "Bo"])
    observer.filterBy = nil
    #expect(
      observer.results.map(\.name) == ["Ed", "Di", "Cy", "Bo", "Ada"] && names == observer.results.map(\.name)
    )
    // What comes later is seen by the new list.
    context.insert(Player(name: "Fay"))
    context.processPendingChanges()
    #expect(names == ["Fay", "Ed", "Di", "Cy", "Bo", "Ada"] && events == 4)
  }

  @Test("A descriptor that cannot be fetched leaves the results, and says why")
  func refused() throws {
    let observer = try ResultsObserver(sortBy: [SortDescriptor<Player>(\.name)], modelContext: context)
    observer.sortBy = [SortDescriptor(\.shout)]
    #expect(
      observer.results.count == 5 && (observer.failure as? SwiftDataError) == .unsupportedSortDescriptor
    )
    observer.sortBy = [SortDescriptor(\.age)]
    #expect(observer.failure == nil)
    #expect(throws: SwiftDataError.self) {
      try ResultsObserver(
        fetchDescriptor: FetchDescriptor<Player>(), sectionBy: \.shout, modelContext: context)
    }
  }

  @Test("An observer with a context of its own follows what others save, on the main actor and on others")
  func ownContext() async throws {
    let observer = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Player>(sortBy: [SortDescriptor(\.name)]), modelContainer: container)
    #expect(observer.modelContext !== context && observer.results.count == 5)
    let other = Shelf(container)
    #expect(try await other.start() == 5)
    let writer = ModelContext(try place.container(for: Team.self))
    writer.insert(Player(name: "Fay"))
    try writer.save()
    for _ in 0..<8000 where observer.results.count < 6 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(observer.results.last?.name == "Fay")
    for _ in 0..<8000 {
      if await other.count == 6 { break }
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(await other.count == 6)
    // Its own changes are shown without being asked for.
    observer.modelContext.insert(Player(name: "Gil"))
    for _ in 0..<8000 where observer.results.count < 7 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(observer.results.last?.name == "Gil")
  }

  private actor Shelf {
    private let container: ModelContainer
    private var observer: ResultsObserver<Player, String>?
    var count: Int { observer?.sections?.reduce(0) { $0 + $1.count } ?? 0 }

    init(_ container: ModelContainer) { self.container = container }

    func start() throws -> Int {
      observer = try ResultsObserver(
        filterBy: #Predicate { $0.age > 0 }, sectionBy: \.name, modelContainer: container)
      return count
    }
  }

  @Test("A model that is inserted and deleted in one event is shown by no list that was fetched between")
  func takenBack() throws {
    let observer = try ResultsObserver(
      sortBy: [SortDescriptor<Player>(\.name)], sectionBy: \.name, modelContext: context)
    for isRolledBack in [false, true] {
      let player = Player(name: "Zoe")
      context.insert(player)
      observer.sortBy = [SortDescriptor(\.name, order: .reverse)]
      let second = try ResultsObserver(fetchDescriptor: FetchDescriptor<Player>(), modelContext: context)
      if isRolledBack { context.rollback() } else { context.delete(player) }
      context.processPendingChanges()
      #expect(observer.results.count == 5 && second.results.count == 5)
      #expect(observer.sections?[sectionTitle: "Zoe"] == nil)
    }
  }

  @Test("An observer may be released by what it calls")
  func released() throws {
    var observer: ResultsObserver<Player, Never>? = try ResultsObserver(modelContext: context)
    var calls = 0
    observer?.onChange = {
      observer = nil
      calls += 1
    }
    observer?.onChanges = { _ in calls += 1 }
    context.insert(Player(name: "Zoe"))
    context.processPendingChanges()
    context.insert(Player(name: "Zed"))
    context.processPendingChanges()
    #expect(observer == nil && calls == 2)
  }

  @Test("Descriptors are equal when they fetch the same")
  func equality() {
    func older(_ age: Int) -> FetchDescriptor<Player> {
      FetchDescriptor(predicate: #Predicate { $0.age > age }, sortBy: [SortDescriptor(\.name)])
    }
    var limited = older(1)
    limited.fetchLimit = 3
    #expect(older(1) == older(1) && older(1) != older(2) && older(1) != limited)
    let (ada, bob) = (Player(name: "Ada"), Player(name: "Ada"))
    func mentored(by player: Player) -> FetchDescriptor<Player> {
      let id = player.persistentModelID
      return FetchDescriptor(predicate: #Predicate { $0.mentor?.persistentModelID == id })
    }
    #expect(mentored(by: ada) == mentored(by: ada) && mentored(by: ada) != mentored(by: bob))
    #expect(FetchDescriptor<Player>() != older(1))
  }
}
