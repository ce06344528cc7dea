import Foundation
import Strongroom
import Testing

@Suite("An entity of more properties than a word has bits")
struct WideEntityTests {
  private static let width = 130

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Wide") {
        for index in 0..<width { Attribute("a\(index)", index % 3 == 0 ? .string : .integer64) }
      }
      Entity("Wider", parent: "Wide") { for index in 0..<width { Attribute("b\(index)", .integer64) } }
    }
  }

  /// Texts and numbers, as the attributes are.
  private static func isText(_ name: String) -> Bool {
    name.hasPrefix("a") && (Int(name.dropFirst()) ?? 0) % 3 == 0
  }

  /// Nil now and then.
  private static func set(_ number: Int?, _ name: String, of object: ManagedObject) throws {
    if isText(name) { try object.set(name, number.map { "t\($0)" }) } else { try object.set(name, number) }
  }

  private static func number(_ name: String, of object: ManagedObject?) throws -> Int? {
    isText(name)
      ? try object?.get(name, as: String.self).flatMap { Int($0.dropFirst()) }
      : try object?.get(name, as: Int.self)
  }

  @Test("saves of any set of changed properties store these and leave the others")
  func subsets() async throws {
    let shelf = try await Shelf(Self.model())
    let context = shelf.container.newContext()
    let names: [[String]] = [
      (0..<Self.width).map { "a\($0)" },
      (0..<Self.width).map { "a\($0)" } + (0..<Self.width).map { "b\($0)" },
    ]
    let objects = try ["Wide", "Wider"].map { try context.insert($0) }
    try context.save()
    var expected: [[String: Int]] = [[:], [:]]
    var random = SystemRandomNumberGenerator()
    for round in 1...1500 {
      let which = round % 2
      // From one property, first and last of a word among them, to all.
      let most = round % 50 == 0 ? names[which].count : 6
      for name in names[which].shuffled(using: &random).prefix(Int.random(in: 1...most)) {
        let number = round % 7 == 0 ? nil : round
        expected[which][name] = number
        try Self.set(number, name, of: objects[which])
      }
      try context.save()
    }
    let other = shelf.container.newContext()
    for (which, entity) in ["Wide", "Wider"].enumerated() {
      let found = try other.fetch(FetchRequest(entity)).filter { $0.entity.name == entity }
      #expect(found.count == 1)
      for name in names[which] {
        #expect(try Self.number(name, of: found.first) == expected[which][name], "\(entity).\(name)")
      }
    }
  }
}
