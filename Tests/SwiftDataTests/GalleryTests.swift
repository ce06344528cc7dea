// Over Models/Gallery.swift: what models that are Codable, and Foundation's values in them,
// promise.

import Foundation
import SwiftData
import Testing

final class GalleryTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [Exhibition.self, Artwork.self]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private let text = """
    {"name": "Light", "works": [{"title": "Dawn", "price": 12.5, "width": 40}, {"title": "Dusk", \
    "width": 60.5}]}
    """

  @Test func modelsAreReadAndWrittenAsJSON() throws {
    try store.session(types) { (context: ModelContext) throws in
      let exhibition = try Exhibition.decode(text)
      context.insert(exhibition)
      try context.save()
      #expect(try context.count(of: Artwork.self) == 2)
    }
    try store.session(types) { (context: ModelContext) throws in
      let exhibition = try #require(try context.fetch(FetchDescriptor<Exhibition>()).first)
      let data = try JSONEncoder().encode(exhibition)
      let again = try JSONDecoder().decode(Exhibition.self, from: data)
      #expect(again.title == "Light" && again.modelContext == nil)
      #expect(again.artworks.map(\.title).sorted() == ["Dawn", "Dusk"])
      #expect(again.artworks.map(\.price).sorted() == [0, 12.5])
      // Models that lead to each other hold each other until a context has them.
      context.insert(again)
    }
  }

  @Test func everyKindOfValueComesBack() throws {
    let picture = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    var label = AttributedString("Oil on ")
    var link = AttributedString("canvas")
    link.link = URL(string: "https://example.org/canvas")
    label.append(link)
    let name = PersonNameComponents(givenName: "Ada", familyName: "Lovelace")
    try store.session(types) { (context: ModelContext) throws in
      let work = Artwork(
        title: "Dawn", price: Decimal(string: "1234567890.123456789") ?? 0,
        width: Measurement(value: 1.5, unit: .meters))
      context.insert(work)
      work.weight = Measurement(value: 2, unit: .kilograms)
      work.image = picture
      work.page = URL(string: "https://example.org/?q=é")
      work.label = label
      work.caption = AttributedString("plain")
      work.locale = Locale(identifier: "de_CH")
      work.calendar = Calendar(identifier: .hebrew)
      work.zone = TimeZone(identifier: "Europe/Oslo")
      work.made = DateComponents(year: 1843, month: 5)
      work.rooms = IndexSet([1, 2, 3, 9])
      work.artist = name
      work.flags = [.onLoan, .restored]
      work.years = 1840...1843
      work.prices = ["EUR": [1, 2.5]]
      (work.small, work.medium, work.ratio) = (-128, 65_535, 0.1)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let work = try #require(try context.fetch(FetchDescriptor<Artwork>()).first)
      #expect(work.price == Decimal(string: "1234567890.123456789"))
      #expect(work.width == Measurement(value: 150, unit: UnitLength.centimeters))
      #expect(work.weight?.converted(to: .grams).value == 2000)
      #expect(work.image == picture && work.thumbnail.isEmpty)
      #expect(work.page?.host() == "example.org")
      #expect(work.label == label && work.caption == AttributedString("plain"))
      #expect(work.label.runs.compactMap(\.link).map(\.absoluteString) == ["https://example.org/canvas"])
      #expect(work.locale.identifier == "de_CH" && work.calendar.identifier == .hebrew)
      #expect(work.zone?.identifier == "Europe/Oslo")
      #expect(work.made == DateComponents(year: 1843, month: 5))
      #expect(work.rooms == IndexSet([1, 2, 3, 9]))
      #expect(work.artist?.familyName == "Lovelace")
      #expect(work.flags == [.onLoan, .restored] && work.years == 1840...1843)
      #expect(work.prices == ["EUR": [1, 2.5]])
      #expect(work.small == -128 && work.medium == 65_535 && work.ratio == 0.1)

      let ratio: Float = 0.1
      let price = work.price
      let width = work.width
      #expect(
        try context.fetchCount(
          FetchDescriptor<Artwork>(predicate: #Predicate { $0.ratio == ratio && $0.price == price })) == 1)
      #expect(
        try context.fetchCount(FetchDescriptor<Artwork>(predicate: #Predicate { $0.width == width })) == 1)
    }
  }
}
