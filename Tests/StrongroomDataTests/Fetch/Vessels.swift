import Foundation
import StrongroomData

/// Models with a property for each thing that a predicate can ask for.
enum Vessels {
  /// Neither lists its cases.
  enum Rig: String, Codable, Sendable {
    case sloop, ketch, cutter
    var shape: String { self == .sloop ? "sloop" : "two sails" }
  }

  enum Grade: Int, Codable, Sendable { case low = 3, high = 30 }

  struct Tonnage: RawRepresentable, Codable, Hashable, Sendable { var rawValue: Int }

  /// Its coding has other names than its properties.
  struct Log: Codable, Hashable, Sendable {
    var pilot: String
    var moored: Date
    var chart: UUID
    var draught: Float
    var rig: Rig
    var notes: [String]
    var isOpen: Bool
    var berth: Berth?
    var summary: String { pilot + "!" }

    struct Berth: Codable, Hashable, Sendable {
      var number: Int
      var quay: String
      enum CodingKeys: String, CodingKey { case number = "no", quay }
    }

    enum CodingKeys: String, CodingKey {
      case pilot = "pilot_name"
      case moored = "at"
      case chart, draught, rig, notes
      case isOpen = "open"
      case berth
    }
  }

  @Model class Vessel {
    var name: String
    var tons: Int
    var length: Double
    var launched: Date?
    var isAfloat: Bool
    var nick: String?
    var tags: [String] = []
    var aliases: [String]?
    var marks: [Int] = []
    var calls: [Date] = []
    var keys: [UUID] = []
    var ports: Set<String> = []
    var fees: [String: Int] = [:]
    var rig: Rig
    var grade: Grade?
    var tonnage: Tonnage
    var log: Log?
    var seal: Data = Data()
    @Relationship(deleteRule: .cascade, inverse: \Sailor.vessel) var crew: [Sailor]? = []
    var harbour: Harbour?
    var shout: String { name.uppercased() }

    init(name: String, number: Int) {
      self.name = name
      tons = number * 17 % 100
      length = Double(number) * 3.5
      launched = number % 3 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number) * 1000)
      isAfloat = number % 2 == 0
      nick = number % 4 == 0 ? nil : "nick \(number % 4)"
      tags = Array(["old", "fast", "red"].prefix(number % 4))
      aliases = number % 3 == 1 ? nil : Array(["one", "two"].prefix(number % 3))
      marks = Array(0..<number % 5)
      calls = number % 2 == 0 ? [] : [Date(timeIntervalSinceReferenceDate: 60 * Double(number))]
      keys = [Vessels.key(number % 3)]
      ports = number % 2 == 0 ? ["Bergen", "Oslo"] : number % 5 == 0 ? [] : ["Kiel"]
      fees = number % 2 == 0 ? ["day": number, "night": 9] : [:]
      rig = [.sloop, .ketch, .cutter][number % 3]
      grade = [nil, .low, .high][number % 3]
      tonnage = Tonnage(rawValue: number % 4)
      seal = number % 2 == 0 ? Data() : Data([UInt8(number)])
      if number % 4 != 3 {
        log = Log(
          pilot: ["Ada", "Bo"][number % 2], moored: Date(timeIntervalSinceReferenceDate: Double(number)),
          chart: Vessels.key(number % 2), draught: [0.1, 2.5][number % 2], rig: rig,
          notes: Array(["fog", "ice"].prefix(number % 3)), isOpen: number % 2 == 1,
          berth: number % 3 == 0 ? nil : Log.Berth(number: number, quay: "Q\(number % 2)"))
      }
    }
  }

  @Model final class Ferry: Vessel {
    var decks: Int
    var line: String

    init(name: String, number: Int, decks: Int) {
      self.decks = decks
      line = decks > 2 ? "Red" : "Blue"
      super.init(name: name, number: number)
    }
  }

  @Model final class Tug: Vessel {
    var decks: Double = 0

    override init(name: String, number: Int) { super.init(name: name, number: number) }
  }

  @Model final class Sailor {
    var name: String
    var age: Int
    var vessel: Vessel?

    init(name: String, age: Int) {
      self.name = name
      self.age = age
    }
  }

  @Model final class Harbour {
    var name: String
    @Relationship(inverse: \Vessel.harbour) var vessels: [Vessel] = []
    var flagship: Vessel?

    init(name: String) { self.name = name }
  }

  static func key(_ number: Int) -> UUID {
    UUID(uuid: (UInt8(number), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  }

  static let schema = Schema([Vessel.self, Ferry.self, Tug.self, Sailor.self, Harbour.self])

  /// A dozen that differ in everything.
  static func fill(_ context: ModelContext) {
    let harbours = ["Hull", "Rye"].map { Harbour(name: $0) }
    for harbour in harbours { context.insert(harbour) }
    for number in 0..<12 {
      let name = ["Ada", "Élan", "Sea Star", "", "ada 10"][number % 5] + (number > 4 ? " \(number)" : "")
      let vessel: Vessel =
        switch number % 3 {
        case 1: Ferry(name: name, number: number, decks: number % 4)
        case 2: Tug(name: name, number: number)
        default: Vessel(name: name, number: number)
        }
      context.insert(vessel)
      vessel.harbour = number % 5 == 0 ? nil : harbours[number % 2]
      vessel.crew = (0..<number % 4).map { Sailor(name: ["Ann", "Ben", "Cid"][$0], age: 20 + number + $0) }
    }
    harbours[0].flagship = harbours[0].vessels.first { $0 is Ferry }
  }
}
