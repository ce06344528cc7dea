import Foundation
import StrongroomData
import Testing

struct Colour: Codable, Equatable {
  var red: UInt8
  var green: UInt8
}

final class ColourTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Colour).map { Data([$0.red, $0.green]) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { Colour(red: $0[$0.startIndex], green: $0[$0.startIndex + 1]) }
  }
}

@Model final class Paint {
  @Attribute(.transformable(by: ColourTransformer.self)) var colour: Colour
  @Attribute(.transformable(by: "Named")) var second: Colour?

  init(_ colour: Colour) { self.colour = colour }
}

@Suite("Value transformers", .everyStoreKind)
struct TransformerTests {
  @Test("A transformer makes what is stored")
  func storing() throws {
    ValueTransformer.setValueTransformer(ColourTransformer(), forName: NSValueTransformerName("Named"))
    let place = try Place()
    let context = ModelContext(try place.container(for: Paint.self))
    let paint = Paint(Colour(red: 1, green: 2))
    paint.second = Colour(red: 3, green: 4)
    context.insert(paint)
    try context.save()
    let other = ModelContext(try place.container(for: Paint.self))
    let again = try #require(try other.fetch(FetchDescriptor<Paint>()).first)
    #expect(again.colour == Colour(red: 1, green: 2) && again.second == Colour(red: 3, green: 4))
    again.second = nil
    try other.save()
    #expect(again.second == nil && again.colour == Colour(red: 1, green: 2))
    #expect(ValueTransformer.valueTransformerNames().map(\.rawValue).contains("ColourTransformer"))
    #expect(ValueTransformer.valueTransformer(forName: NSValueTransformerName("Absent")) == nil)
  }

  @Test("A transformer of a plain type takes the place of its own form", .configuredStores)
  func plainTypes() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Sealed.self))
    context.insert(Sealed("abc", 7))
    context.insert(Sealed("", nil))
    try context.save()
    let other = ModelContext(try place.container(for: Sealed.self))
    let found = try other.fetch(FetchDescriptor<Sealed>()).sorted { $0.word > $1.word }
    #expect(found.map(\.word) == ["abc", ""] && found.map(\.number) == [7, nil])
    #expect(found.map(\.kind) == ["plain", "plain"])
    found[0].word = "déf"
    found[0].kind = ""
    found[1].number = 0
    try other.save()
    let again = try ModelContext(try place.container(for: Sealed.self)).fetch(FetchDescriptor<Sealed>())
    #expect(Set(again.map(\.word)) == ["déf", ""] && Set(again.map(\.number)) == [7, 0])
    #expect(Set(again.map(\.kind)) == ["", "plain"])
    // What is stored can be told apart, but neither searched nor put in order.
    let same = FetchDescriptor<Sealed>(predicate: #Predicate { $0.word == "déf" })
    #expect(try other.fetch(same).map(\.word) == ["déf"])
    for predicate in [#Predicate<Sealed> { $0.word.contains("é") }, #Predicate { $0.word < "z" }] {
      #expect(throws: (any Error).self) { try other.fetch(FetchDescriptor(predicate: predicate)) }
    }
    let inOrder = FetchDescriptor<Sealed>(sortBy: [SortDescriptor(\.word)])
    #expect(throws: (any Error).self) { try other.fetch(inOrder) }
  }

  struct Amount: Equatable { var number: UInt8 }

  // Two modules would have them; two name spaces are the same to the registry.
  enum Upward {
    final class Shift: ValueTransformer {
      override func transformedValue(_ value: Any?) -> Any? {
        (value as? Amount).map { Data([$0.number + 1]) }
      }
      override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data)?.first.map { Amount(number: $0 - 1) }
      }
    }
  }

  enum Downward {
    final class Shift: ValueTransformer {
      override func transformedValue(_ value: Any?) -> Any? {
        (value as? Amount).map { Data([$0.number - 1]) }
      }
      override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data)?.first.map { Amount(number: $0 + 1) }
      }
    }
  }

  @Test("Two of one name do not take each other's place")
  func sameName() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Shifted.self))
    context.insert(
      Shifted(up: TransformerTests.Amount(number: 10), down: TransformerTests.Amount(number: 20)))
    try context.save()
    let again = try #require(
      try ModelContext(try place.container(for: Shifted.self)).fetch(FetchDescriptor<Shifted>()).first)
    #expect(again.up.number == 10 && again.down.number == 20)
    let names = ValueTransformer.valueTransformerNames().map(\.rawValue)
    #expect(names.filter { $0.hasSuffix("ward.Shift") }.count == 2 && names.contains("Shift"))
  }
}

@Model final class Shifted {
  @Attribute(.transformable(by: TransformerTests.Upward.Shift.self)) var up: TransformerTests.Amount
  @Attribute(.transformable(by: TransformerTests.Downward.Shift.self)) var down: TransformerTests.Amount

  init(up: TransformerTests.Amount, down: TransformerTests.Amount) {
    self.up = up
    self.down = down
  }
}

/// Turns the bytes of texts round.
final class Reverser: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.utf8.reversed()) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
  }
}

final class NumberSpeller: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? Int).map { Data("\($0)".utf8) } }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
  }
}

@Model final class Sealed {
  @Attribute(.transformable(by: Reverser.self)) var word: String
  @Attribute(.transformable(by: NumberSpeller.self)) var number: Int?
  @Attribute(.transformable(by: Reverser.self)) var kind: String = "plain"

  init(_ word: String, _ number: Int?) {
    self.word = word
    self.number = number
  }
}
