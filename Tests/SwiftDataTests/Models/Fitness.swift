// Stands for: a `ValueTransformer` named by type and by name, `@Transient` and `.ephemeral`,
// computed properties with setters, several designated and convenience initializers, models that
// are Codable by hand, an own `id: UUID`, small and unsigned numbers, private stored properties,
// validation, equality of models.

import Foundation
import SwiftData

// MARK: - A value that is not Codable

final class BadgeColor: NSObject {
  let red: UInt8
  let green: UInt8
  let blue: UInt8

  init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? BadgeColor else { return false }
    return red == other.red && green == other.green && blue == other.blue
  }

  override var hash: Int { Int(red) << 16 | Int(green) << 8 | Int(blue) }
}

final class BadgeColorTransformer: ValueTransformer {
  static let name = NSValueTransformerName(rawValue: "BadgeColorTransformer")

  override class func transformedValueClass() -> AnyClass { NSData.self }
  override class func allowsReverseTransformation() -> Bool { true }

  override func transformedValue(_ value: Any?) -> Any? {
    guard let color = value as? BadgeColor else { return nil }
    return Data([color.red, color.green, color.blue])
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, data.count == 3 else { return nil }
    let bytes = [UInt8](data)
    return BadgeColor(red: bytes[0], green: bytes[1], blue: bytes[2])
  }

  static func register() {
    ValueTransformer.setValueTransformer(BadgeColorTransformer(), forName: name)
  }
}

// MARK: - Models

@Model
final class Athlete: Identifiable {
  @Attribute(.unique) var id: UUID
  var givenName: String
  var familyName: String
  var restingHeartRate: Int16
  var level: UInt8
  var weight: Float
  var vacation: DateInterval?

  @Attribute(.transformable(by: BadgeColorTransformer.self))
  var badge: BadgeColor?

  @Attribute(.transformable(by: "BadgeColorTransformer"))
  var ribbon: BadgeColor?

  @Attribute(.ephemeral) var isOnline: Bool = false

  @Relationship(deleteRule: .cascade, inverse: \Workout.athlete)
  var workouts: [Workout] = []

  private var nicknames: [String] = []
  private(set) var personalBest: Double = 0

  init(
    id: UUID = UUID(), givenName: String, familyName: String, restingHeartRate: Int16 = 60, level: UInt8 = 1,
    weight: Float = 70
  ) {
    self.id = id
    self.givenName = givenName
    self.familyName = familyName
    self.restingHeartRate = restingHeartRate
    self.level = level
    self.weight = weight
  }

  convenience init?(fullName: String) {
    let parts = fullName.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    self.init(givenName: parts[0], familyName: parts[1])
  }

  func record(_ result: Double) { personalBest = max(personalBest, result) }
  func call(_ nickname: String) { nicknames.append(nickname) }
  var allNames: [String] { [fullName] + nicknames }
}

@Model
final class Workout: Identifiable, Codable {
  enum Kind: String, Codable, CaseIterable {
    case running, rowing, yoga
    case strength = "strength_training"
  }

  enum CodingKeys: String, CodingKey {
    case id
    case title
    case startedAt = "started_at"
    case endedAt = "ended_at"
    case kind
    case effort
    case exercises
  }

  @Attribute(.unique) var id: UUID
  var title: String
  var startedAt: Date
  var endedAt: Date?
  var kind: Kind
  private var effortValue: Double
  var athlete: Athlete?

  @Relationship(deleteRule: .cascade, inverse: \Exercise.workout)
  var exercises: [Exercise] = []

  @Transient var isExpanded = false
  @Transient private var cachedVolume: Double?

  init(id: UUID = UUID(), title: String, kind: Kind, startedAt: Date, endedAt: Date? = nil) {
    self.id = id
    self.title = title
    self.kind = kind
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.effortValue = 0.5
  }

  /// The same workout on another day.
  convenience init(repeating other: Workout, on date: Date) {
    self.init(title: other.title, kind: other.kind, startedAt: date)
    effort = other.effort
    exercises = other.exercises.map { Exercise(name: $0.name, sets: $0.sets) }
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(UUID.self, forKey: .id)
    title = try container.decode(String.self, forKey: .title)
    startedAt = try container.decode(Date.self, forKey: .startedAt)
    endedAt = try container.decodeIfPresent(Date.self, forKey: .endedAt)
    kind = try container.decode(Kind.self, forKey: .kind)
    effortValue = try container.decodeIfPresent(Double.self, forKey: .effort) ?? 0.5
    exercises = try container.decodeIfPresent([Exercise].self, forKey: .exercises) ?? []
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(title, forKey: .title)
    try container.encode(startedAt, forKey: .startedAt)
    try container.encodeIfPresent(endedAt, forKey: .endedAt)
    try container.encode(kind, forKey: .kind)
    try container.encode(effort, forKey: .effort)
    try container.encode(exercises.sorted { $0.name < $1.name }, forKey: .exercises)
  }

  /// How hard it was, from 0 to 1.
  var effort: Double {
    get { effortValue }
    set { effortValue = min(max(newValue, 0), 1) }
  }

  /// All that was lifted, summed once.
  var volume: Double {
    if let cachedVolume { return cachedVolume }
    let sum = exercises.flatMap(\.sets).reduce(0) { $0 + $1.volume }
    cachedVolume = sum
    return sum
  }
}

@Model
final class Exercise: Codable {
  struct Repetitions: Codable, Hashable {
    var count: Int
    var weight: Double

    var volume: Double { Double(count) * weight }
  }

  var name: String
  var sets: [Repetitions]
  var workout: Workout?

  init(name: String, sets: [Repetitions] = []) {
    self.name = name
    self.sets = sets
  }

  required convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try container.decode(String.self, forKey: .name),
      sets: try container.decode([Repetitions].self, forKey: .sets))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(sets, forKey: .sets)
  }

  private enum CodingKeys: CodingKey {
    case name, sets
  }
}

// MARK: - Derived values

extension Athlete {
  var fullName: String {
    get { "\(givenName) \(familyName)" }
    set {
      let parts = newValue.split(separator: " ", maxSplits: 1).map(String.init)
      givenName = parts.first ?? ""
      familyName = parts.count > 1 ? parts[1] : ""
    }
  }

  var latestWorkout: Workout? { workouts.max { $0.startedAt < $1.startedAt } }
}

extension Workout {
  var duration: TimeInterval? { endedAt.map { $0.timeIntervalSince(startedAt) } }
  var isRunning: Bool { endedAt == nil }

  enum ValidationError: Error, Equatable {
    case endsBeforeStart
    case untitled
  }

  func validate() throws {
    guard !title.isEmpty else { throw ValidationError.untitled }
    if let endedAt, endedAt < startedAt { throw ValidationError.endsBeforeStart }
  }

  static func ofKind(_ kind: Kind, in context: ModelContext) throws -> [Workout] {
    try context.fetch(FetchDescriptor<Workout>(sortBy: [SortDescriptor(\.startedAt)])).filter {
      $0.kind == kind
    }
  }

  static func with(id: UUID) -> FetchDescriptor<Workout> {
    var descriptor = FetchDescriptor<Workout>(predicate: #Predicate { $0.id == id })
    descriptor.fetchLimit = 1
    return descriptor
  }
}
