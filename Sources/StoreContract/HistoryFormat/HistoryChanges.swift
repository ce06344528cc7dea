import Foundation
package import ObjectModel

/// The changes of one transaction on their way into its row: objects of one entity to which the same was
/// done are a group, and their numbers are runs.
///
/// A group is its kind and entity number, for updates the properties as bits by their index, then the runs:
/// how far each is behind the one before, and its length. All numbers are little-endian base 128, seven
/// bits a byte. Deleted objects with preserved values are groups of one, with the values as JSON.
package struct HistoryChanges {
  /// What was done to the objects of a group.
  package enum Kind: UInt64, Sendable {
    case insert, update, delete, deletePreserving

    var isDeletion: Bool { self == .delete || self == .deletePreserving }

    var changeType: PersistentHistoryChange.ChangeType {
      switch self {
      case .insert: .insert
      case .update: .update
      case .delete, .deletePreserving: .delete
      }
    }
  }

  /// Objects of one entity to which the same was done.
  package struct Group: Hashable {
    package let kind: Kind
    /// The number that the store has for the entity.
    package let entity: Int64
    package var properties: PropertyIndexSet

    package init(kind: Kind, entity: Int64, properties: PropertyIndexSet = PropertyIndexSet()) {
      self.kind = kind
      self.entity = entity
      self.properties = properties
    }
  }

  private var groups: [(group: Group, references: [Int64])] = []
  /// Where each group is; empty while they are few, which are found sooner one by one.
  private var places: [Group: Int] = [:]
  private static let few = 8
  private var preserved: [(entity: Int64, reference: Int64, values: [String: AttributeValue])] = []
  private var ranges: [(group: Group, range: Range<Int64>)] = []
  /// How many ranges were added.
  package var runCount: Int { ranges.count }

  package var isEmpty: Bool { groups.isEmpty && preserved.isEmpty && ranges.isEmpty }
  package private(set) var count = 0

  package init() {}

  package mutating func add(_ reference: Int64, to group: Group) {
    groups[place(of: group)].references.append(reference)
    count += 1
  }

  package mutating func add(_ numbers: [Int64], to group: Group) {
    if numbers.isEmpty { return }
    groups[place(of: group)].references += numbers
    count += numbers.count
  }

  private mutating func place(of group: Group) -> Int {
    if groups.count <= Self.few {
      if let place = groups.lastIndex(where: { $0.group == group }) { return place }
    } else {
      if places.isEmpty { for (place, one) in groups.enumerated() { places[one.group] = place } }
      if let place = places[group] { return place }
      places[group] = groups.count
    }
    groups.append((group, []))
    return groups.count - 1
  }

  /// Adds objects whose numbers follow each other.
  package mutating func add(_ range: Range<Int64>, to group: Group) {
    if range.isEmpty { return }
    ranges.append((group, range))
    count += range.count
  }

  package mutating func addDeletion(
    _ reference: Int64, entity: Int64, preserving values: [String: AttributeValue]
  ) {
    preserved.append((entity, reference, values))
    count += 1
  }

  package func encoded() throws -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    // New objects of a batch come before those that lead to them.
    for (place, one) in ranges.enumerated() where place == 0 || ranges[place - 1].group != one.group {
      let together = ranges[place...].prefix { $0.group == one.group }
      Self.write(one.group, together.map(\.range), to: &bytes)
    }
    for (group, references) in groups {
      if references.count == 1 {
        Self.write(group, references[0], to: &bytes)
      } else {
        Self.write(group, Self.runs(references), to: &bytes)
      }
    }
    for one in preserved {
      Self.write(Group(kind: .deletePreserving, entity: one.entity), one.reference, to: &bytes)
      let json = try JSONEncoder.sorted.encode(one.values)
      Self.write(UInt64(json.count), to: &bytes)
      bytes += json
    }
    return bytes
  }

  /// Numbers in their order as runs of neighbours.
  private static func runs(_ numbers: [Int64]) -> [Range<Int64>] {
    var runs: [Range<Int64>] = []
    for number in numbers.sorted() {
      if let last = runs.last, last.upperBound == number {
        runs[runs.count - 1] = last.lowerBound..<number + 1
      } else if runs.last?.contains(number) != true {
        runs.append(number..<number + 1)
      }
    }
    return runs
  }

  /// A group of one object.
  private static func write(_ group: Group, _ reference: Int64, to bytes: inout [UInt8]) {
    write(group, to: &bytes)
    write(1, to: &bytes)
    write(UInt64(reference), to: &bytes)
    write(0, to: &bytes)
  }

  private static func write(_ group: Group, to bytes: inout [UInt8]) {
    write(UInt64(bitPattern: group.entity) << 2 | group.kind.rawValue, to: &bytes)
    if group.kind != .update { return }
    let count = group.properties.byteCount
    write(UInt64(count), to: &bytes)
    for place in 0..<count { bytes.append(group.properties.byte(at: place)) }
  }

  private static func write(_ group: Group, _ runs: [Range<Int64>], to bytes: inout [UInt8]) {
    write(group, to: &bytes)
    write(UInt64(runs.count), to: &bytes)
    var last: Int64 = 0
    for run in runs {
      write(UInt64(run.lowerBound - last), to: &bytes)
      write(UInt64(run.count - 1), to: &bytes)
      last = run.upperBound
    }
  }

  private static func write(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest > 127 {
      bytes.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
