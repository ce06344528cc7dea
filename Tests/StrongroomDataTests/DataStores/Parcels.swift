import Foundation
import SeededRandom
import StrongroomData

/// Models whose values are hard to store and to compare.
enum Parcels {
  /// Has a column in an `SQLiteStore`.
  enum Kind: String, Codable, SQLComparable { case letter, box, crate }

  /// Has none.
  enum Size: Int, Codable, Sendable { case small = 1, large = 9 }

  @Model final class Sender {
    var name: String
    @Relationship(inverse: \Parcel.sender) var parcels: [Parcel] = []

    init(name: String) { self.name = name }
  }

  @Model final class Parcel {
    var number: Int
    var label = ""
    var note: String?
    var remark: String?
    var count = 0
    var spare: Int?
    var weight = 0.0
    var price: Double?
    var sent = Date(timeIntervalSinceReferenceDate: 0)
    var due: Date?
    var key = UUID()
    var kind = Kind.box
    var former: Kind?
    var size: Size?
    var isOpen = false
    var sender: Sender?

    init(number: Int) { self.number = number }
  }

  /// Composed, and without line breaks: Strongroom compares Unicode scalars, and Swift characters.
  static let texts = [
    "", "a", "A", "ab", "b", "B", "Z", "é", "eé", "ß", "😀", "a\0b", "%", "_", "a_", "'", "\"", "ÿ",
    "\u{FFFD}",
  ]
  static let counts = [0, 1, -1, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1, .max, .max - 1, .min]
  static let weights = [
    0, -0.0, 0.1, 0.3, 0.1 + 0.2, 1, 1.5, -2, .leastNonzeroMagnitude, 1e300, 1e16, 9_007_199_254_740_994,
    1e22,
    (0.3).nextDown, .greatestFiniteMagnitude, 1e18,
  ]
  static let dates =
    weights.prefix(8).map { Date(timeIntervalSinceReferenceDate: $0) }
    + [700_000_000.1, (700_000_000.1).nextUp, -1e9].map { Date(timeIntervalSinceReferenceDate: $0) }
  static let keys = (0..<4).map { UUID(uuid: ($0, 0xAB, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) }
  static let kinds = [Kind.letter, .box, .crate]
  static let names = ["Ada", "Bo", "Élan"]

  /// Each value with nil beside it, so that it is drawn as often as others.
  static func optional<Value>(_ values: [Value]) -> [Value?] { values + [nil, nil] }

  static func fill(_ context: ModelContext, _ random: inout Random) {
    let senders = names.map { Sender(name: $0) }
    for sender in senders { context.insert(sender) }
    for number in 0..<60 {
      let parcel = Parcel(number: number)
      context.insert(parcel)
      parcel.label = random.element(texts)!
      parcel.note = random.element(optional(texts))!
      parcel.remark = random.element(optional(Array(texts.prefix(3))))!
      parcel.count = random.element(counts)!
      parcel.spare = random.element(optional(counts))!
      parcel.weight = random.element(weights)!
      parcel.price = random.element(optional(weights))!
      parcel.sent = random.element(dates)!
      parcel.due = random.element(optional(dates))!
      parcel.key = random.element(keys)!
      parcel.kind = random.element(kinds)!
      parcel.former = random.element(optional(kinds))!
      parcel.size = random.element([.small, .large, nil])!
      parcel.isOpen = random.chance(2)
      parcel.sender = random.element(optional(senders))!
    }
  }
}
