import Foundation
import StrongroomData
import Testing

enum GettingStarted {
  @Model final class Trip {
    @Attribute(.unique) var name: String
    var start: Date
    var budget: Decimal = 0
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(name: String, start: Date = .now) {
      self.name = name
      self.start = start
    }
  }

  @Model final class Stop {
    var place: String
    var nights: Int
    var trip: Trip?

    init(place: String, nights: Int = 1) {
      self.place = place
      self.nights = nights
    }
  }
}

extension GettingStarted {
  @Suite("The manual: getting started")
  struct Tests {
    private static let isPrivate = ProcessInfo.processInfo.environment["STRONGROOM_PRIVATE_KEYRING"] == "1"

    private func open() throws -> (ModelContainer, URL) {
      var configuration = ModelConfiguration("Trips", applicationIdentifier: "org.example.trips")
      configuration.recoveryCodeHandler = { code in
        code.withText { print("Write this down:", String(decoding: $0, as: UTF8.self)) }
      }
      let container = try ModelContainer(for: Trip.self, configurations: configuration)
      return (container, configuration.url)
    }

    @Test("A store is in the user's data folder, its key in the keyring", .enabled(if: isPrivate))
    func usual() throws {
      let folder = ModelConfiguration("x", applicationIdentifier: "org.example.trips").url
        .deletingLastPathComponent()
      try #require(!FileManager.default.fileExists(atPath: folder.path))
      defer { try? FileManager.default.removeItem(at: folder) }
      for _ in 1...2 {
        let (container, url) = try open()
        #expect(url == folder.appendingPathComponent("Trips.store"))
        #expect(url.pathComponents.suffix(2) == ["org.example.trips", "Trips.store"])
        #expect(FileManager.default.fileExists(atPath: url.path))
        #expect(container.configurations.first?.name == "Trips")
        #expect(Set(container.schema.entities.map(\.name)) == ["Trip", "Stop"])
      }
    }

    @Test("In memory, or in a file of one's own")
    func elsewhere() throws {
      let place = try Place()
      let url = place.file("trial.store")
      let scratch = try ModelContainer(
        for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let trial = try ModelContainer(
        for: Trip.self, configurations: ModelConfiguration(url: url, keyVault: InMemoryVault()))
      #expect(scratch.configurations.first?.isStoredInMemoryOnly == true)
      #expect(FileManager.default.fileExists(atPath: url.path))
      #expect(trial.configurations.first?.url == url && trial.configurations.first?.allowsSave == true)
      #expect(trial != scratch && trial.migrationPlan == nil)
    }

    @Test("Models go in, are asked for, change and go")
    func models() throws {
      let place = try Place()
      let container = try place.container(for: Trip.self)
      let context = ModelContext(container)
      let trip = Trip(name: "North")
      trip.stops = [Stop(place: "Oslo", nights: 2), Stop(place: "Bergen")]
      context.insert(trip)
      try context.save()
      #expect(trip.modelContext == context && trip.stops.count == 2 && !trip.persistentModelID.isTemporary)
      #expect(context.container == container && !context.hasChanges)
      let nights = 1
      let long = try context.fetch(
        FetchDescriptor<Stop>(
          predicate: #Predicate { $0.nights > nights && $0.trip?.name == "North" },
          sortBy: [SortDescriptor(\.place)]))
      print(long.map(\.place))  // ["Oslo"]
      #expect(long.map(\.place) == ["Oslo"])
      trip.budget += 250
      trip.stops.append(Stop(place: "Tromsø"))
      context.delete(long[0])
      try context.save()
      let again = ModelContext(container)
      let stored = try #require(try again.fetch(FetchDescriptor<Trip>()).first)
      #expect(stored.budget == 250 && Set(stored.stops.map(\.place)) == ["Bergen", "Tromsø"])
      again.delete(stored)
      #expect(stored.isDeleted && stored.hasChanges)
      try again.save()
      #expect(try again.fetchCount(FetchDescriptor<Stop>()) == 0)
    }

    @Test("The front page")
    func front() throws {
      let place = try Place()
      let configuration = ModelConfiguration(url: place.file("trips.store"), keyVault: place.vault)
      let container = try ModelContainer(for: Trip.self, configurations: configuration)
      let context = ModelContext(container)
      context.insert(Trip(name: "South"))
      try context.save()
      let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
      #expect(trips.map(\.name) == ["South"])
    }
  }
}
