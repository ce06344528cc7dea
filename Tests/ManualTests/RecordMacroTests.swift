import Foundation
import StrongroomRecordMacros
import Testing

extension RecordsPage {
  @Record(originalName: "Track") struct Disc {
    @PrimaryKey @Column(originalName: "title") var name: String
    var length: Length
    @Column(indexed: true) var plays = 0
    var genre: Genre? = nil
    var labels: [String] = []
  }

  @Suite("Documentation: records by a macro")
  struct MacroTests {
    @Test("A macro writes key, old names and defaults")
    func program() async throws {
      let place = try Place()
      let (url, vault) = (place.file("records.store"), place.vault)
      let store = try await RecordStore(url: url, vault: vault, Track.self)
      try store.push(Track(title: "Overture", length: Length(minutes: 4, seconds: 20), genre: .poem))
      try store.close()
      let later = try await RecordStore(url: url, vault: vault, Disc.self)
      let disc = try #require(try later.fetch(Disc.self, key: "Overture"))
      #expect(disc.length.minutes == 4 && disc.plays == 0 && disc.genre == .poem && disc.labels.isEmpty)
      try later.push(Disc(name: "Finale", length: Length(minutes: 1, seconds: 0), plays: 3))
      #expect(try later.fetch(Disc.self, where: #Predicate { $0.plays > 1 }).map(\.name) == ["Finale"])
    }
  }
}
