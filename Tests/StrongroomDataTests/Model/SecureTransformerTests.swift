import Foundation
import StrongroomData
import Testing

/// A class of a program's own that archives itself.
final class Tint: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let red: Double

  init(red: Double) { self.red = red }
  func encode(with coder: NSCoder) { coder.encode(red, forKey: "red") }
  init?(coder: NSCoder) { red = coder.decodeDouble(forKey: "red") }
}

final class TintTransformer: NSSecureUnarchiveFromDataTransformer {
  static let name = NSValueTransformerName(rawValue: String(describing: TintTransformer.self))
  override static var allowedTopLevelClasses: [AnyClass] { [Tint.self] }

  static func register() {
    ValueTransformer.setValueTransformer(TintTransformer(), forName: name)
  }
}

@Model final class Wall {
  @Attribute(.transformable(by: TintTransformer.self)) var tint: Tint
  @Attribute(.transformable(by: TintTransformer.name.rawValue)) var second: Tint?
  @Attribute(.transformable(by: NSSecureUnarchiveFromDataTransformer.self)) var words: [String] = []
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var notes: NSDictionary?

  init(_ tint: Tint) { self.tint = tint }
}

@Suite("Transformers that archive")
struct SecureTransformerTests {
  @Test("Values are archived and read again, by class, by name, and where they are missing")
  func storing() throws {
    TintTransformer.register()
    let place = try Place()
    let context = ModelContext(try place.container(for: Wall.self))
    let wall = Wall(Tint(red: 0.25))
    wall.second = Tint(red: 0.5)
    wall.words = ["a", "é"]
    wall.notes = ["n": 1]
    context.insert(wall)
    context.insert(Wall(Tint(red: 1)))
    try context.save()
    let other = ModelContext(try place.container(for: Wall.self))
    let found = try other.fetch(FetchDescriptor<Wall>()).sorted { $0.tint.red < $1.tint.red }
    #expect(found.map(\.tint.red) == [0.25, 1] && found.map(\.second?.red) == [0.5, nil])
    #expect(found.map(\.words) == [["a", "é"], []])
    #expect(found[0].notes?["n"] as? Int == 1 && found[1].notes == nil)
    found[0].second = nil
    found[0].tint = Tint(red: 0.75)
    try other.save()
    let again = try ModelContext(try place.container(for: Wall.self)).fetch(FetchDescriptor<Wall>())
    #expect(Set(again.map(\.tint.red)) == [0.75, 1] && again.allSatisfy { $0.second == nil })
  }

  @Test("Archives of other classes and what is no archive are no values")
  func refused() throws {
    let transformer = TintTransformer()
    let own = try #require(transformer.reverseTransformedValue(Tint(red: 2)) as? Data)
    #expect((transformer.transformedValue(own) as? Tint)?.red == 2)
    #expect(NSSecureUnarchiveFromDataTransformer().transformedValue(own) == nil)
    #expect(NSSecureUnarchiveFromDataTransformer().reverseTransformedValue(Tint(red: 2)) == nil)
    let words = NSSecureUnarchiveFromDataTransformer().reverseTransformedValue(["a"])
    #expect(NSSecureUnarchiveFromDataTransformer().transformedValue(words) as? [String] == ["a"])
    for damaged in [Data(), Data("bplist00".utf8), own.prefix(40), own.dropLast(30)] {
      #expect(transformer.transformedValue(Data(damaged)) == nil)
    }
    #expect(transformer.transformedValue(nil) == nil && transformer.reverseTransformedValue(nil) == nil)
    let name = NSValueTransformerName.secureUnarchiveFromDataTransformerName
    #expect(ValueTransformer.valueTransformer(forName: name) is NSSecureUnarchiveFromDataTransformer)
  }
}
