import Foundation
import StrongroomData
import Testing

/// A class that gets properties whose default values are no plain ones.
enum AddedProperties {
  enum Before {
    @Model final class Thing {
      var number = 0
      init(_ number: Int) { self.number = number }
    }
  }

  enum After {
    struct Size: Codable, Equatable {
      var width = 3
      var unit = "cm"
    }

    enum Origin: Codable, Equatable {
      case found
      case bought(price: Int)
    }

    @Model final class Thing {
      var number = 0
      var tags: [String] = []
      var sizes: [Size] = [Size(width: 4)]
      var marks: Set<Int> = [1]
      var counts: [String: Int] = ["a": 1]
      var size = Size()
      var origin: Origin = Origin.bought(price: 7)
      init(_ number: Int) { self.number = number }
    }
  }

  enum Dated {
    @Model final class Thing {
      var number = 0
      var madeAt: Date = Date.now
      var due: Date? = Date.now.addingTimeInterval(60)
      init(_ number: Int) { self.number = number }
    }
  }

  enum Numbered {
    @Model final class Thing {
      var number = 0
      var code: UUID = UUID()
      init(_ number: Int) { self.number = number }
    }
  }
}

@Suite("Rows of an older version get the default values of new properties", .configuredStores)
struct DefaultValueTests {
  private func filled() throws -> Place {
    let place = try Place()
    let context = ModelContext(try place.container(for: AddedProperties.Before.Thing.self))
    for number in 1...2 { context.insert(AddedProperties.Before.Thing(number)) }
    try context.save()
    return place
  }

  @Test("also where they are lists and other Codable values")
  func codable() throws {
    typealias Thing = AddedProperties.After.Thing
    let place = try filled()
    for start in 1...2 {
      let context = ModelContext(try place.container(for: Thing.self))
      let things = try context.fetch(FetchDescriptor<Thing>(sortBy: [SortDescriptor(\.number)]))
      #expect(things.map(\.number) == [1, 2])
      for thing in things {
        #expect(thing.tags == (start == 2 && thing.number == 2 ? ["new"] : []))
        #expect(thing.sizes == [AddedProperties.After.Size(width: 4)] && thing.marks == [1])
        #expect(thing.counts == ["a": 1] && thing.size == AddedProperties.After.Size())
        #expect(thing.origin == .bought(price: 7) && !thing.hasChanges)
      }
      let untagged = FetchDescriptor<Thing>(predicate: #Predicate { $0.tags.isEmpty })
      #expect(try context.fetchCount(untagged) == 3 - start)
      #expect(
        try context.fetchCount(FetchDescriptor<Thing>(predicate: #Predicate { $0.size.width == 3 })) == 2)
      things[1].tags = ["new"]
      try context.save()
    }
  }

  @Test("a date of the moment is one for all of them, and stays")
  func dates() throws {
    let place = try filled()
    let start = Date.now
    func dates() throws -> [Date?] {
      let context = ModelContext(try place.container(for: AddedProperties.Dated.Thing.self))
      return try context.fetch(FetchDescriptor<AddedProperties.Dated.Thing>()).flatMap {
        [$0.madeAt, $0.due]
      }
    }
    let found = try dates().compactMap(\.self)
    #expect(found.count == 4 && Set(found).count == 2)
    let (made, due) = (found[0], found[1])
    #expect(abs(made.timeIntervalSince(start)) < 600 && abs(due.timeIntervalSince(made) - 60) < 10)
    #expect(try dates() == found)
    let context = ModelContext(try place.container(for: AddedProperties.Dated.Thing.self))
    let new = AddedProperties.Dated.Thing(3)
    context.insert(new)
    #expect(new.madeAt > made)
  }

  @Test("but not where each model has another one")
  func different() throws {
    let place = try filled()
    #expect(throws: SwiftDataError.unsupportedMigration) {
      try place.container(for: AddedProperties.Numbered.Thing.self)
    }
    #expect(
      try ModelContext(place.container(for: AddedProperties.Before.Thing.self)).fetchCount(
        FetchDescriptor<AddedProperties.Before.Thing>()) == 2)
  }
}
