import Foundation
import StrongroomRecords
import Testing

@Suite("Key paths of records")
struct KeyPathTests {
  enum Kind: String, Codable { case plain, fancy }

  struct Flags: Record, Identifiable {
    var id: Int
    var first: Bool
    var second: Bool
    var left: Kind
    var right: Kind
    var fees: [String: Int]
    var taxes: [String: Int]

    var both: Bool { first && second }
    var either: Bool { first || second }
    var inverse: Bool { !first }
    var always: Bool { true }
    var never: Bool { false }

    enum CodingKeys: String, CodingKey {
      case id, fees, taxes
      // Each has the name of another.
      case first = "second"
      case second = "first"
      case left = "right"
      case right = "left"
    }
  }

  @Test("stored properties are found by what they are coded as")
  func stored() {
    let names: [AnyKeyPath: String] = [
      \Flags.first: "second", \Flags.second: "first", \Flags.left: "right", \Flags.right: "left",
      \Flags.fees: "fees", \Flags.taxes: "taxes",
    ]
    for (keyPath, name) in names { #expect(Flags.propertyName(of: keyPath) == name) }
  }

  @Test("computed Booleans are never taken for a stored one")
  func computed() {
    let computed: [AnyKeyPath] = [\Flags.both, \Flags.either, \Flags.inverse, \Flags.always, \Flags.never]
    for keyPath in computed { #expect(Flags.propertyName(of: keyPath) == nil, "\(keyPath)") }
  }
}
