import Foundation
import StrongroomData
import Testing

@Suite("Models written in every way", .everyStoreKind)
struct ShapeTests {
  @Test("Initializers of each kind give values, and defaults come before them")
  func initializers() throws {
    let wide = Shapes.Wide(shown: "s")
    #expect(wide.rating == 4 && wide.passing == 8 && wide.called == [1, 2] && wide.here == 5)
    #expect(wide.`default` && wide.`class` == nil && wide.grade == .second && wide.real == 5)
    #expect(Shapes.Wide(only: false) == nil && Shapes.Wide(named: "") == nil)
    #expect(Shapes.Wide(named: "x")?.shown == "x" && Shapes.Wide(number: 3).unordered == ["x"])
    #expect(throws: CocoaError.self) { try Shapes.Wide(throwing: "") }
    #expect(Shapes.Convenient(number: 5).number == 5 && Shapes.Plain().number == 1)
    #expect(Shapes.OnUnstored(number: 3).extra == 1 && Shapes.filedNumber() == 3)
  }

  @Test("Stored properties are described in their order, and nothing else is")
  func metadata() {
    let names = Shapes.Wide.schemaMetadata.map(\.name)
    #expect(Array(names.prefix(7)) == ["id", "hidden", "shown", "filed", "_rating", "default", "class"])
    #expect(names.contains("here"))
    #expect(
      Set(names).isDisjoint(with: [
        "rating", "elsewhere", "never", "passing", "slow", "constant", "limit", "usual", "description",
      ]))
    #expect(Shapes.Third.schemaMetadata.map(\.name) == ["text"])
  }

  @Test("A model with a property of every type comes back from the file as it was")
  func wideRoundTrip() throws {
    let place = try Place()
    do {
      let context = ModelContext(try place.container(for: Shapes.Wide.self))
      let wide = Shapes.Wide(shown: "s")
      wide.`class` = "c"
      wide.rating = 9
      wide.table = ["a": [1, 2]]
      wide.data = Data([1, 2])
      wide.wrapped = wide
      wide.grade = .first
      wide.shade = Shade(value: 4)
      wide.unordered = ["u"]
      wide.decimal = 2.5
      wide.link = URL(string: "https://example.org")
      wide.span = 2...4
      wide.limited = [Shapes.Wide(shown: "t")]
      context.insert(wide)
      try context.save()
    }
    let context = ModelContext(try place.container(for: Shapes.Wide.self))
    let found = try context.fetch(FetchDescriptor<Shapes.Wide>(sortBy: [SortDescriptor(\.shown)]))
    #expect(found.map(\.shown) == ["s", "t"])
    let wide = try #require(found.first)
    #expect(
      wide.`class` == "c" && wide.rating == 9 && wide.table == ["a": [1, 2]] && wide.data == Data([1, 2]))
    #expect(wide.wrapped === wide && wide.grade == .first && wide.shade == Shade(value: 4))
    #expect(wide.unordered == ["u"] && wide.decimal == 2.5 && wide.span == 2...4 && wide.big == .max)
    #expect(wide.link == URL(string: "https://example.org") && wide.limited == [found[1]])
    #expect(wide.passing == 0 && wide.limit == 10 && wide.wrappedText == "q" && wide.lines == "a\nb")
  }

  @Test("Three levels of models share one object, before a save and after it")
  func submodels() throws {
    let place = try Place()
    do {
      let context = ModelContext(
        try place.container(for: Shapes.First.self, Shapes.Second.self, Shapes.Third.self))
      let third = Shapes.Third(text: "abc")
      #expect(third.number == 3 && third.note == "first!?" && third.flag && third.text == "abc")
      let second = Shapes.Second(text: "four")
      #expect(second.number == 4 && second.note == "first!" && second.flag)
      second.flag = false
      second.note = "second"
      context.insert(third)
      context.insert(second)
      third.number = 5
      try context.save()
    }
    let context = ModelContext(
      try place.container(for: Shapes.First.self, Shapes.Second.self, Shapes.Third.self))
    let all = try context.fetch(FetchDescriptor<Shapes.First>(sortBy: [SortDescriptor(\.number)]))
    #expect(all.map(\.number) == [4, 5] && all.map(\.note) == ["second", "first!?"])
    #expect((all[0] as? Shapes.Second)?.flag == false && (all[1] as? Shapes.Third)?.text == "abc")
    (all[0] as? Shapes.Second)?.flag = true
    all[1].number = 1
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Shapes.Third>()).map(\.number) == [1])
  }

  @Test("Observers run when a property is set, once, and not for its first value")
  func observers() {
    let watched = Shapes.Watched(size: 7)
    #expect(watched.log == 0 && watched.size == 7)
    watched.size = 20
    #expect(watched.log == 27 && watched.size == 10)
    watched.text = "b"
    #expect(watched.log == 127)
    watched.size = 3
    #expect(watched.log == 140 && watched.size == 3)
  }

  @Test("A class's own equality, coding and order stand beside the model's")
  func conformances() throws {
    #expect(Set([Shapes.Coded(title: "a"), Shapes.Coded(title: "a")]).count == 1)
    let data = try JSONEncoder().encode(Shapes.Coded(title: "b"))
    #expect(try JSONDecoder().decode(Shapes.Coded.self, from: data).title == "b")
    #expect(Shapes.Explicit(number: 1) < Shapes.Explicit(number: 2))
    #expect(Shapes.`switch`().`protocol` == "p" && Shapes.Qualified(name: "q").passing == 3)
  }
}
