import Foundation
import StrongroomData

/// Classes in the shape of `swiftdata.sqlite`, which `Tests/Support/apple-stores/make_swiftdata.py`
/// made.
enum TripModels {
  enum Level: Codable, Hashable {
    case low, high
    case custom(Int)
    case window(from: Date, to: Date?)
  }

  enum Mood: String, Codable { case good, bad }
  enum Season: String, Codable { case warm, cold }
  enum Grade: Int, Codable { case easy = 1, hard }

  struct Position: Codable, Hashable { var latitude, longitude: Double }
  struct Margin: Codable, Hashable { var before, after: Int? }

  struct Stop: Codable, Hashable {
    var name: String
    var level: Level
  }

  struct Rule: Codable, Hashable {
    var days: [Int]
    var isOn: Bool
  }

  struct Place: Codable, Hashable {
    var name: String
    var position: Position
    var visited: Date?
    var note: String?
    var key: UUID
    var page: URL
    var icon: Data
    var price: Decimal
    var level: Level
    var length: Duration
    var rule: Rule
    var days: [Int]
  }

  @Model final class Trip {
    @Attribute(.unique) var name: String
    var code: UUID
    var cost: Decimal
    var link: URL?
    var start: Date
    @Attribute(.externalStorage) var photo: Data?
    var grade: Grade
    var season: Season
    var place: Place
    var stay: Place?
    var margin: Margin
    var level: Level
    var mood: Mood
    var tags: [String]
    var stops: [Stop]
    var scores: [String: Int]
    @Relationship(inverse: \Leg.trip) var legs: [Leg] = []
    var vehicle: Vehicle?

    init(name: String, place: Place) {
      self.name = name
      self.place = place
      (code, cost, start, grade, season) = (UUID(), 0, Date(timeIntervalSinceReferenceDate: 0), .easy, .cold)
      (margin, level, mood, tags, stops, scores) = (Margin(), .low, .good, [], [], [:])
    }
  }

  @Model final class Leg {
    var number: Int
    var trip: Trip?

    init(number: Int) { self.number = number }
  }

  @Model class Vehicle {
    var wheels: Int

    init(wheels: Int) { self.wheels = wheels }
  }

  @Model final class Car: Vehicle {
    var doors: Int
    var level: Level

    init(doors: Int) {
      self.doors = doors
      level = .low
      super.init(wheels: 4)
    }
  }
}
