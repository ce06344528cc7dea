import Foundation
import Testing

import class SQLCipherStore.SQLCipherStore

@testable import StrongroomData

@Suite("What typed access costs in statements")
struct StatementTests {
  private func count(_ container: ModelContainer, _ body: () throws -> Void) throws -> Int {
    let store = try #require(
      try container.core.engine.persistentStoreCoordinator.persistentStore as? SQLCipherStore)
    let before = store.executedStatements
    try body()
    return store.executedStatements - before
  }

  @Test("Walking models issues the statements that walking the engine's objects does")
  func walking() throws {
    let place = try Place()
    let container = try place.container(for: Team.self)
    let context = ModelContext(container)
    for number in 0..<40 {
      let team = Team(name: "Team \(number)")
      team.players = (0..<5).map { Player(name: "\(number).\($0)") }
      team.sponsors = [Sponsor(name: "Sponsor \(number)")]
      context.insert(team)
    }
    try context.save()
    var letters = 0
    let typed = try count(container) {
      let own = ModelContext(container)
      for team in try own.fetch(FetchDescriptor<Team>()) {
        letters += team.name.count + (team.sponsors ?? []).reduce(0) { $0 + $1.name.count }
        for player in team.players { letters += player.name.count + (player.team === team ? 0 : 1) }
      }
    }
    let walked = letters
    letters = 0
    let engine = try count(container) {
      let own = container.core.engine.newContext()
      for team in try own.fetch(.init("Team"), as: ModelObject.self) {
        letters += try team.get("name", as: String.self)?.count ?? 0
        for sponsor in try team.objects("sponsors") {
          letters += try sponsor.get("name", as: String.self)?.count ?? 0
        }
        for player in try team.objects("players") {
          letters += try player.get("name", as: String.self)?.count ?? 0
          _ = try player.object("team")
        }
      }
    }
    #expect(letters == walked && letters > 0)
    #expect(typed == engine && typed <= 6, "\(typed) and \(engine)")
    let prefetched = try count(container) {
      var descriptor = FetchDescriptor<Player>()
      descriptor.relationshipKeyPathsForPrefetching = [\.team]
      for player in try ModelContext(container).fetch(descriptor) { letters += player.team?.name.count ?? 0 }
    }
    #expect(prefetched <= 3, "\(prefetched)")
  }

  @Test("Reading what was read, setting, inserting and counting changes issue none")
  func none() throws {
    let place = try Place()
    let container = try place.container(for: Team.self)
    let context = ModelContext(container)
    context.insert(Player(name: "Ada"))
    try context.save()
    let player = try #require(try context.fetch(FetchDescriptor<Player>()).first)
    let statements = try count(container) {
      for _ in 0..<100 {
        player.age += player.name.count
        player.standing = .owner
        context.insert(Player(name: "more"))
      }
      #expect(context.hasChanges && context.insertedModelsArray.count == 100)
    }
    #expect(statements == 0)
  }

  @Test("Deleting by a condition issues as many for many models as for a few")
  func deleting() throws {
    let place = try Place()
    let container = try place.container(for: Team.self)
    let context = ModelContext(container)
    let team = Team(name: "Owls")
    var last: Player?
    for number in 0..<60 {
      let player = Player(name: "\(number)")
      player.age = number < 5 ? 1 : 2
      player.team = team
      player.mentor = last
      context.insert(player)
      last = player
    }
    try context.save()
    let counts = try [1, 2].map { age in
      try count(container) {
        let other = ModelContext(container)
        try other.delete(model: Player.self, where: #Predicate { $0.age == age })
      }
    }
    #expect(counts[0] <= 6 && counts[1] <= counts[0], "\(counts)")
  }
}
