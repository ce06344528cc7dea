import Foundation
import StrongroomData

enum Standing: String, Codable, CaseIterable, Sendable {
  case guest, member, owner
}

enum Level: Int, Codable, Sendable {
  case low = 1
  case high = 9
}

struct Address: Codable, Hashable, Sendable {
  var street: String
  var number: Int
}

@Model final class Team {
  #Unique<Team>([\.name])
  #Index<Team>([\.founded], [\.name, \.founded])

  var name: String
  var founded: Date
  @Relationship(deleteRule: .cascade, inverse: \Player.team) var players: [Player] = []
  var sponsors: [Sponsor]? = []

  init(name: String, founded: Date = Date(timeIntervalSinceReferenceDate: 0)) {
    self.name = name
    self.founded = founded
  }
}

@Model final class Sponsor {
  var name: String
  var teams: [Team] = []

  init(name: String) { self.name = name }
}

@Model final class Player {
  @Attribute(.unique) var id: UUID
  @Attribute(originalName: "title") var name: String
  var nickname: String?
  var age: Int = 18
  var standing: Standing = Standing.guest
  var level: Level?
  var tags: [String] = []
  var home: Address?
  var balance: Decimal = 0
  var site: URL?
  @Attribute(.externalStorage) var photo: Data?
  @Attribute(.ephemeral) var score: Int = 0
  @Transient var isShown = false
  var team: Team?
  var mentor: Player?
  var shout: String { name.uppercased() }

  init(name: String, team: Team? = nil) {
    id = UUID()
    self.name = name
    self.team = team
  }
}

@Model class Animal {
  var name: String
  var legs: Int = 4
  var keeper: Keeper?

  init(name: String) { self.name = name }
}

@Model final class Dog: Animal {
  var breed: String

  init(name: String, breed: String) {
    self.breed = breed
    super.init(name: name)
  }
}

@Model final class Keeper {
  var name: String
  @Relationship(inverse: \Animal.keeper) var animals: [Animal] = []

  init(name: String) { self.name = name }
}
