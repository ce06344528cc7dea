// Stands for: a public model layer under `#if canImport(SwiftData)`, `public private(set) var`, a
// private initialiser behind factories, `didSet` and `willSet`, lazy, static and computed members,
// nested types and type aliases, defaults of every kind (`.now`, `UUID()`, `[]`, `.init()`, an
// enum's case by its dot), equality and hashing of their own, comparison, protocols with default
// implementations, key paths as parameters, `switch` over a model's enum with values, descriptions,
// subscripts, error types.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

#if canImport(SwiftData)
  import Foundation
  import SwiftData

  public typealias PlantID = UUID

  public protocol Tended: AnyObject {
    var lastTended: Date? { get }
    var interval: TimeInterval { get }
  }

  extension Tended {
    public func isDue(at moment: Date) -> Bool {
      guard let lastTended else { return true }
      return moment.timeIntervalSince(lastTended) >= interval
    }
  }

  public enum GardenError: Error, Equatable {
    case bedIsFull(capacity: Int)
    case unknownPlant(PlantID)
  }

  @Model
  public final class Patch {
    public typealias Position = Shrub.Position

    public static let defaultCapacity = 3
    public static var sortedByName: [SortDescriptor<Patch>] { [SortDescriptor(\.name)] }

    @Attribute(.unique) public var name: String
    public private(set) var capacity: Int = Patch.defaultCapacity
    public private(set) var created: Date = Date.now
    @Relationship(deleteRule: .cascade, inverse: \Shrub.bed) public private(set) var plants: [Shrub] = []
    var soil = Soil.loam
    var tags = [String]()
    private var secret: String = "compost"

    @Transient private lazy var formatter: NumberFormatter = {
      let formatter = NumberFormatter()
      formatter.numberStyle = .percent
      return formatter
    }()
    @Transient private(set) var changes = 0

    private init(name: String, capacity: Int) {
      self.name = name
      self.capacity = capacity
    }

    public static func make(_ name: String, capacity: Int = defaultCapacity) -> Patch {
      Patch(name: name, capacity: capacity)
    }

    public var isFull: Bool { plants.count >= capacity }
    public var filled: Double { Double(plants.count) / Double(max(capacity, 1)) }
    var hint: String { "\(secret), \(soil.rawValue)" }

    public func add(_ plant: Shrub) throws {
      guard !isFull else { throw GardenError.bedIsFull(capacity: capacity) }
      plants.append(plant)
      changes += 1
    }

    public func remove(_ id: PlantID) throws {
      guard let place = plants.firstIndex(where: { $0.id == id }) else { throw GardenError.unknownPlant(id) }
      plants.remove(at: place)
      changes += 1
    }

    public subscript(position: Position) -> Shrub? { plants.first { $0.position == position } }

    enum Soil: String, Codable, CaseIterable { case loam, clay, sand }
  }

  @Model
  public final class Shrub: Tended, Comparable, CustomStringConvertible {
    public struct Position: Codable, Hashable, Sendable {
      public var row: Int
      public var column: Int

      public static let origin = Position(row: 0, column: 0)

      public init(row: Int, column: Int) {
        self.row = row
        self.column = column
      }
    }

    public enum Stage: Codable, Hashable, Sendable {
      case seed
      case sprout(leaves: Int)
      case grown(height: Double, isFlowering: Bool)

      var title: String {
        switch self {
        case .seed: "seed"
        case .sprout(let leaves): "sprout with \(leaves)"
        case .grown(let height, let isFlowering): "\(height) cm\(isFlowering ? ", in flower" : "")"
        }
      }
    }

    @Attribute(.unique) public var id: PlantID = PlantID()
    public var species: String {
      didSet { if species != oldValue { renamed += 1 } }
    }
    public var position = Position.origin
    public var stage: Stage = Stage.seed
    public var height: Double = 0 {
      willSet { previousHeight = height }
    }
    public var lastTended: Date?
    public var bed: Patch?
    var renamed = 0
    var previousHeight: Double?
    var notes: [Note] = []

    public init(_ species: String, at position: Position = .init(row: 0, column: 0), stage: Stage = .seed) {
      self.species = species
      self.position = position
      self.stage = stage
    }

    public convenience init(species: String) { self.init(species, at: .origin) }

    public var interval: TimeInterval {
      switch stage {
      case .seed, .sprout: 86_400
      case .grown: 3 * 86_400
      }
    }

    public var description: String { "\(species) (\(stage.title))" }

    public static func < (left: Shrub, right: Shrub) -> Bool { left.species < right.species }
    public static func == (left: Shrub, right: Shrub) -> Bool { left.id == right.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    public func update<Value: Equatable>(
      _ keyPath: ReferenceWritableKeyPath<Shrub, Value>, to value: Value
    ) -> Bool {
      guard self[keyPath: keyPath] != value else { return false }
      self[keyPath: keyPath] = value
      return true
    }

    struct Note: Codable, Hashable, Identifiable {
      var id = UUID()
      var text: String
      var date = Date(timeIntervalSinceReferenceDate: 0)
    }
  }

  extension Shrub {
    static func predicate(species: String? = nil, minimumHeight: Double = 0) -> Predicate<Shrub> {
      #Predicate<Shrub> { plant in
        (species == nil || plant.species == species!) && plant.height >= minimumHeight
      }
    }

    static func inBed(named name: String) -> Predicate<Shrub> {
      #Predicate { $0.bed.flatMap { $0.name == name } ?? false }
    }

    static var unplanted: FetchDescriptor<Shrub> {
      var descriptor = FetchDescriptor<Shrub>(
        predicate: #Predicate { $0.bed == nil }, sortBy: [SortDescriptor(\.species, order: .reverse)])
      descriptor.fetchLimit = 10
      descriptor.propertiesToFetch = [\.species, \.position]
      descriptor.relationshipKeyPathsForPrefetching = [\.bed]
      return descriptor
    }
  }
#endif
