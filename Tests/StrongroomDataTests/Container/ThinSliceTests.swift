import Foundation
import StrongroomData
import Testing

@Suite("From a class to a file and back")
struct ThinSliceTests {
  @Test("Models are inserted, saved, and fetched from the reopened file")
  func roundTrip() throws {
    let place = try Place()
    do {
      let context = ModelContext(try place.container(for: Voyage.self))
      let voyage = Voyage(name: "North")
      #expect(voyage.name == "North" && voyage.days == 7 && voyage.modelContext == nil)
      voyage.stops = [Stop(place: "Oslo"), Stop(place: "Bergen")]
      voyage.days = 9
      context.insert(voyage)
      #expect(voyage.modelContext === context && voyage.days == 9 && voyage.stops.count == 2)
      #expect(voyage.stops.allSatisfy { $0.voyage === voyage })
      context.insert(Voyage(name: "South"))
      try context.save()
      #expect(!context.hasChanges && !voyage.persistentModelID.isTemporary)
    }
    let header = try Data(contentsOf: place.url).prefix(15)
    #expect(header != Data("SQLite format 3".utf8))
    let context = ModelContext(try place.container(for: Voyage.self))
    let days = 8
    let long = try context.fetch(
      FetchDescriptor<Voyage>(predicate: #Predicate { $0.days > days }, sortBy: [SortDescriptor(\.name)]))
    #expect(long.map(\.name) == ["North"])
    #expect(Set(long[0].stops.map(\.place)) == ["Oslo", "Bergen"])
    let stops = try context.fetch(
      FetchDescriptor<Stop>(
        predicate: #Predicate { $0.voyage?.name == "North" }, sortBy: [SortDescriptor(\.place)]))
    #expect(stops.map(\.place) == ["Bergen", "Oslo"])
    #expect(stops[0].voyage === long[0] && stops.allSatisfy(long[0].stops.contains))
  }
}
