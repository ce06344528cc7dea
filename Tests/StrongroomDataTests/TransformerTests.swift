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

@Suite("Value transformers")
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
}
