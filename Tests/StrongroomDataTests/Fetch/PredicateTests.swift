import Foundation
import StrongroomData
import Testing

@Suite("Conditions and orders", .everyStoreKind)
struct PredicateTests {
  private static func filled() throws -> (Place, ModelContext) {
    let place = try Place()
    let context = ModelContext(try place.container(for: Team.self, Dog.self))
    let (reds, blues) = (Team(name: "Reds"), Team(name: "Blues"))
    for (number, name) in ["Ada", "bob", "Cay", "dan 10", "dan 9", "Eve"].enumerated() {
      let player = Player(name: name)
      player.age = 20 + number
      player.standing = Standing.allCases[number % 3]
      player.level = number % 2 == 0 ? .high : nil
      player.nickname = number < 2 ? nil : "N\(number)"
      player.tags = number == 3 ? ["new"] : []
      player.team = number < 4 ? reds : number == 4 ? blues : nil
      player.home = number == 0 ? Address(street: "Main", number: 1) : nil
      context.insert(player)
      if number == 1 {
        player.mentor = try context.fetch(FetchDescriptor<Player>()).first { $0.name == "Ada" }
      }
    }
    context.insert(blues)
    try context.save()
    return (place, context)
  }

  private func names(_ context: ModelContext, _ predicate: Predicate<Player>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
  }

  @Test("Predicates mean in the store what they mean in Swift")
  func forms() throws {
    let (place, context) = try Self.filled()
    defer { withExtendedLifetime(place) {} }
    let all = try context.fetch(FetchDescriptor<Player>())
    let standing = Standing.member
    let level = Level.high
    let none: Level? = nil
    let standings = [Standing.guest, .owner]
    let raw = "owner"
    let teamID = try #require(all.first { $0.name == "Ada" }?.team).persistentModelID
    let own = try #require(all.first { $0.name == "Cay" })
    let ownID = own.persistentModelID
    let id: UUID = own.id
    let address = Address(street: "Main", number: 1)
    let predicates: [(String, Predicate<Player>)] = [
      ("text", #Predicate { $0.name == "Ada" }),
      ("number", #Predicate { $0.age > 21 && $0.age <= 24 }),
      ("optional", #Predicate { $0.nickname == nil }),
      ("localizedStandardContains", #Predicate { $0.name.localizedStandardContains("ÁD") }),
      ("optional contains", #Predicate { $0.nickname?.contains("4") == true }),
      ("enumeration", #Predicate { $0.standing == standing }),
      ("enumerations", #Predicate { standings.contains($0.standing) }),
      ("optional enumeration", #Predicate { $0.level == level }),
      ("no enumeration", #Predicate { $0.level == none }),
      ("raw value", #Predicate { $0.standing.rawValue == raw }),
      ("to-one", #Predicate { $0.team?.name == "Reds" }),
      ("to-one's identifier", #Predicate { $0.team?.persistentModelID == teamID }),
      ("identifier", #Predicate { $0.persistentModelID == ownID }),
      ("own id", #Predicate { $0.id == id }),
      ("to-one missing", #Predicate { $0.team == nil }),
      ("two steps", #Predicate { $0.mentor?.team?.name == "Reds" }),
      ("to-many", #Predicate { $0.team?.players.contains { $0.name == "bob" } == true }),
      ("tags", #Predicate { $0.tags.contains("new") }),
      ("isEmpty", #Predicate { !$0.tags.isEmpty }),
      ("a value as a whole", #Predicate { $0.home == address }),
    ]
    for (name, predicate) in predicates {
      let expected = try all.filter { try predicate.evaluate($0) }.map(\.name).sorted()
      #expect(!expected.isEmpty && expected.count < all.count, "\(name) tells nothing apart")
      #expect(throws: Never.self, "\(name)") {
        let found = try names(context, predicate)
        #expect(found == expected, "\(name)")
      }
    }
  }

  @Test("An identifier is of its class and its store alone", .configuredStores)
  func identifiers() throws {
    let (place, context) = try Self.filled()
    defer { withExtendedLifetime(place) {} }
    let (other, away) = try Self.filled()
    defer { withExtendedLifetime(other) {} }
    // Numbers are given by class, so that these have the same.
    let player = try #require(try context.fetch(FetchDescriptor<Player>()).first).persistentModelID
    let team = try #require(try context.fetch(FetchDescriptor<Team>()).first).persistentModelID
    let stranger = try #require(try away.fetch(FetchDescriptor<Player>()).first).persistentModelID
    #expect(player.id != team.id && player.id != stranger.id && "\(player)".hasSuffix("/1)"))
    func count(_ predicate: Predicate<Player>) throws -> Int {
      try context.fetchCount(FetchDescriptor(predicate: predicate))
    }
    let all = [team, player, stranger]
    let others = [team, stranger]
    #expect(try count(#Predicate { $0.persistentModelID == player }) == 1)
    #expect(try count(#Predicate { $0.persistentModelID == team }) == 0)
    #expect(try count(#Predicate { $0.persistentModelID == stranger }) == 0)
    #expect(try count(#Predicate { $0.persistentModelID != team }) == 6)
    #expect(try count(#Predicate { $0.team?.persistentModelID == team }) == 4)
    #expect(try count(#Predicate { $0.team?.persistentModelID == player }) == 0)
    #expect(try count(#Predicate { all.contains($0.persistentModelID) }) == 1)
    #expect(try count(#Predicate { others.contains($0.persistentModelID) }) == 0)
    #expect(try count(#Predicate { model in others.contains { $0 == model.persistentModelID } }) == 0)
    let data = try JSONEncoder().encode(player)
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
    #expect(try count(#Predicate { $0.persistentModelID == decoded }) == 1)
  }

  @Test("What a store cannot be asked is refused by name", .configuredStores)
  func refused() throws {
    let (place, context) = try Self.filled()
    defer { withExtendedLifetime(place) {} }
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try names(context, #Predicate { $0.shout == "ADA" })
    }
    #expect(throws: SwiftDataError.unsupportedPredicate) { try names(context, #Predicate { $0.isShown }) }
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(FetchDescriptor<Player>(sortBy: [SortDescriptor(\.shout)]))
    }
    do {
      _ = try names(context, #Predicate { $0.shout == "ADA" })
    } catch let error as SwiftDataError {
      #expect(error.message.contains("String") && !error.message.contains("ADA"))
    }
  }

  @Test("Orders, and limits")
  func sorting() throws {
    let (place, context) = try Self.filled()
    defer { withExtendedLifetime(place) {} }
    func sorted(_ sort: SortDescriptor<Player>...) throws -> [String] {
      try context.fetch(FetchDescriptor(sortBy: sort)).map(\.name)
    }
    let people = ["Ada", "bob", "Cay", "dan 9", "dan 10", "Eve"]
    #expect(try sorted(SortDescriptor(\.name, comparator: .localizedStandard)) == people)
    #expect(
      try sorted(SortDescriptor(\.name, comparator: .localizedStandard, order: .reverse)) == people.reversed()
    )
    #expect(try sorted(SortDescriptor(\.name)) == people)
    #expect(
      try sorted(SortDescriptor(\.name, comparator: .lexical)) == [
        "Ada", "Cay", "Eve", "bob", "dan 10", "dan 9",
      ])
    #expect(try sorted(SortDescriptor(\.age, order: .reverse)).first == "Eve")
    #expect(try sorted(SortDescriptor(\.team?.name), SortDescriptor(\.age)).prefix(2) == ["Eve", "dan 9"])
    let descriptor = SortDescriptor(\Player.name, comparator: .localizedStandard)
    let all = try context.fetch(FetchDescriptor<Player>())
    #expect(all.sorted(using: descriptor).map(\.name) == people)
    var page = FetchDescriptor<Player>(sortBy: [SortDescriptor(\.age)])
    page.fetchLimit = 2
    page.fetchOffset = 1
    page.propertiesToFetch = [\.name]
    page.relationshipKeyPathsForPrefetching = [\.team]
    #expect(try context.fetch(page).map(\.name) == ["bob", "Cay"])
    #expect(try context.fetchCount(FetchDescriptor<Player>()) == 6)
    #expect(try context.fetchIdentifiers(FetchDescriptor<Player>()).count == 6)
    let batches = try context.fetch(FetchDescriptor<Player>(sortBy: [SortDescriptor(\.age)]), batchSize: 2)
    #expect(batches.map(\.name) == ["Ada", "bob", "Cay", "dan 10", "dan 9", "Eve"])
  }

  @Test("Unsaved changes count unless the request excludes them")
  func pending() throws {
    let (place, context) = try Self.filled()
    defer { withExtendedLifetime(place) {} }
    context.insert(Player(name: "Zoe"))
    var descriptor = FetchDescriptor<Player>(predicate: #Predicate { $0.name == "Zoe" })
    #expect(try context.fetchCount(descriptor) == 1)
    #expect(try context.fetchIdentifiers(descriptor).map(\.isTemporary) == [true])
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetch(descriptor, batchSize: 10)
    }
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).isEmpty)
  }
}
