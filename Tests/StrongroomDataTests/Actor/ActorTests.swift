import Foundation
import StrongroomData
import Testing

@ModelActor actor Roster {
  func add(_ name: String) throws -> PersistentIdentifier {
    let player = Player(name: name)
    modelContext.insert(player)
    try modelContext.save()
    return player.persistentModelID
  }

  func rename(_ id: PersistentIdentifier, to name: String) throws {
    self[id, as: Player.self]?.name = name
    try modelContext.save()
  }

  func name(of id: PersistentIdentifier) -> String? { self[id, as: Player.self]?.name }
  func isTeam(_ id: PersistentIdentifier) -> Bool { self[id, as: Team.self] != nil }
  func remove(_ id: PersistentIdentifier) throws {
    if let player = self[id, as: Player.self] { modelContext.delete(player) }
    try modelContext.save()
  }
}

@Suite("Contexts of actors")
struct ActorTests {
  @Test("An actor works on a context of its own")
  func work() async throws {
    let place = try Place()
    let container = try place.container(for: Team.self)
    let roster = Roster(modelContainer: container)
    #expect(roster.modelContainer == container)
    let id = try await roster.add("Ada")
    try await roster.rename(id, to: "Bob")
    #expect(await roster.name(of: id) == "Bob")
    #expect(await !roster.isTeam(id))
    let context = ModelContext(container)
    #expect((context.model(for: id) as? Player)?.name == "Bob")
    try await roster.remove(id)
    #expect(await roster.name(of: id) == nil)
    #expect(try context.fetchCount(FetchDescriptor<Player>()) == 0)
  }

  @Test("Many actors write at once")
  func many() async throws {
    let place = try Place()
    let container = try place.container(for: Team.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let roster = Roster(modelContainer: container)
          for turn in 0..<10 { _ = try await roster.add("\(number).\(turn)") }
        }
      }
      try await group.waitForAll()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Player>()) == 80)
  }
}
