import StrongroomData
import Testing

@MainActor @Suite("After an autosave that failed")
struct AutosaveFailureTests {
  private let rogue = Rogue("notes")
  private let context: ModelContext
  private let quay = Quay(name: "North")

  init() throws {
    context = try ModelContainer(
      for: Schema([Quay.self, Barge.self]), configurations: [RogueConfiguration(rogue)]
    ).mainContext
  }

  private func turns() async { for _ in 0..<20 { await Task.yield() } }

  private func failing(_ change: () -> Void) async {
    rogue.refuses = true
    change()
    await turns()
    rogue.refuses = false
    #expect(context.autosaveFailure is Rogue.Refusal && context.hasChanges)
  }

  private func expectSaved(_ name: String, ships: [String] = []) async throws {
    await turns()
    #expect(context.autosaveFailure == nil && !context.hasChanges)
    let other = ModelContext(context.container)
    let stored = try #require(try other.fetch(FetchDescriptor<Quay>()).first)
    #expect(stored.name == name && stored.ships.map(\.name) == ships)
  }

  @Test("a change to the same model schedules another one")
  func sameModel() async throws {
    context.insert(quay)
    await turns()
    await failing { quay.name = "South" }
    quay.name = "East"
    try await expectSaved("East")
    // Set as fast again as before, and saved all the same.
    quay.name = "West"
    try await expectSaved("West")
  }

  @Test("a change to the new model schedules another one")
  func newModel() async throws {
    await failing { context.insert(quay) }
    quay.name = "South"
    try await expectSaved("South")
  }

  @Test("a change to a relationship schedules another one")
  func relationship() async throws {
    let barge = Barge(name: "Anna")
    context.insert(barge)
    context.insert(quay)
    await turns()
    await failing { (quay.name, barge.name) = ("South", "Berta") }
    quay.ships.append(barge)
    try await expectSaved("South", ships: ["Berta"])
  }

  @Test("nothing is tried until something changes")
  func quiet() async throws {
    var tries = 0
    await failing { context.insert(quay) }
    rogue.didStore = {
      tries += 1
      throw Rogue.Refusal()
    }
    await turns()
    #expect(tries == 0)
    quay.name = "South"
    await turns()
    #expect(tries == 1)
    context.autosaveEnabled = false
    quay.name = "East"
    await turns()
    #expect(tries == 1)
  }
}
