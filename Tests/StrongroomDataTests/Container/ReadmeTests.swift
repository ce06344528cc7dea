import StrongroomData
import Testing

// README begin
@Model final class Trip {
  @Attribute(.unique) var name: String
  var start: Date = Date.now
  @Relationship(deleteRule: .cascade, inverse: \Stay.trip) var stays: [Stay] = []
  init(name: String) { self.name = name }
}

@Model final class Stay {
  var place: String
  var trip: Trip?
  init(place: String) { self.place = place }
}
// README pause

@Suite("The README's example of typed models")
struct ReadmeTests {
  private func run(url: URL, vault: any KeyVault) throws -> [String] {
    // README resume
    var configuration = ModelConfiguration(url: url, keyVault: vault)
    // Once, when the store is made: this code opens the store when the keyring is lost.
    configuration.recoveryCodeHandler = { code in
      code.withText { print("Write this down:", String(decoding: $0, as: UTF8.self)) }
    }
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    let context = ModelContext(container)
    let trip = Trip(name: "Harz")
    trip.stays.append(Stay(place: "Goslar"))
    context.insert(trip)
    try context.save()
    let found = try context.fetch(
      FetchDescriptor<Trip>(predicate: #Predicate { $0.stays.contains { $0.place == "Goslar" } }))
    print(found.map(\.name))  // ["Harz"]
    // README end
    return found.map(\.name)
  }

  @Test("does what it says, and is what is tested")
  func example() throws {
    let place = try Place()
    #expect(try run(url: place.url, vault: place.vault) == ["Harz"])
    let own = try lines(#filePath)
    let begin = try #require(own.firstIndex(of: "// README begin"))
    let pause = try #require(own.firstIndex(of: "// README pause"))
    let resume = try #require(own.firstIndex(of: "// README resume"))
    let end = try #require(own.firstIndex(of: "// README end"))
    let tested = (own[(begin + 1)..<pause] + own[(resume + 1)..<end]).map {
      $0.replacingOccurrences(
        of: "(url: url, keyVault: vault)", with: "(\"Trips\", applicationIdentifier: \"org.example.library\")"
      )
    }
    let readme = try lines(#filePath + "/../../../../README.md")
    let first = try #require(readme.firstIndex(of: "import StrongroomData"))
    let last = try #require(readme[first...].firstIndex(of: "```"))
    #expect(Array(readme[(first + 1)..<last]) == tested)
  }

  /// A file's lines without indentation; no empty ones.
  private func lines(_ path: String) throws -> [String] {
    try String(contentsOf: URL(fileURLWithPath: path).standardized, encoding: .utf8).split(separator: "\n")
      .map {
        $0.trimmingCharacters(in: .whitespaces)
      }.filter { !$0.isEmpty }
  }
}
