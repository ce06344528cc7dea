import Foundation
import StrongroomRecords
import Testing

enum RecordsPage {
  enum Genre: String, Codable { case novel, poem }

  struct Length: Codable, Equatable {
    var minutes: Int
    var seconds: Int
  }

  struct Track: Record, Equatable {
    static var primaryKey: KeyPath<Track, String> { \.title }
    var title: String
    var length: Length
    var genre: Genre?
    var tags: [String] = []
  }

  struct Label: Record, Identifiable {
    var id: UUID
    var name: String
  }

  struct Song: Record {
    static var primaryKey: KeyPath<Song, String> { \.name }
    static var originalTableName: String? { "Track" }
    static var columns: [RecordColumn<Song>] {
      [
        RecordColumn(\.name, originalName: "title"),
        RecordColumn(\.plays, default: 0, indexed: true),
      ]
    }
    var name: String
    var length: Length
    var plays: Int
    var comment: String?
  }
}

extension RecordsPage {
  @Suite("Documentation: records")
  struct Tests {
    @Test("Push, fetch, delete, drop")
    func program() async throws {
      let place = try Place()
      let (url, vault) = (place.file("records.store"), place.vault)
      var description = PersistentStoreDescription(url: url, vault: vault)
      // Once, when the store is made: this code opens the store when the keyring is lost.
      description.recoveryCodeHandler = { code in
        code.withText { print("Write this down:", String(decoding: $0, as: UTF8.self)) }
      }
      let store = try await RecordStore(description, [Track.self, Label.self])
      // insert, and update by the key
      try store.push(Track(title: "Overture", length: Length(minutes: 4, seconds: 20)))
      try store.push([
        Track(title: "Finale", length: Length(minutes: 7, seconds: 5), tags: ["loud"]),
        Track(title: "Overture", length: Length(minutes: 4, seconds: 30)),
      ])

      // read
      let found = try store.fetch(Track.self, where: #Predicate { $0.length.minutes > 5 })
      let sorted = try store.fetch(Track.self, sortBy: [SortDescriptor(\.title)], fetchLimit: 10)
      let loud = try store.fetch(Track.self) { $0.tags.contains("loud") }
      let one = try store.fetch(Track.self, key: "Overture")
      let all = try store.count(Track.self)

      // delete some, then all, then the table
      try store.delete(found)
      try store.delete(Track.self, where: #Predicate { $0.title == "Overture" })
      try store.clear(Track.self)
      try await store.drop(Label.self)
      #expect(found.map(\.title) == ["Finale"] && loud == found)
      #expect(sorted.map(\.title) == ["Finale", "Overture"] && all == 2)
      #expect(one?.length.seconds == 30)
      #expect(try store.count(Track.self) == 0)
    }

    @Test("A transaction, and a type that changes")
    func change() async throws {
      let place = try Place()
      let (url, vault) = (place.file("records.store"), place.vault)
      let store = try await RecordStore(url: url, vault: vault, Track.self, Label.self)
      try store.push(Track(title: "Finale", length: Length(minutes: 7, seconds: 5)))
      try store.transaction { transaction in
        try transaction.push(Label(id: UUID(), name: "Blue"))
        try transaction.push(Track(title: "Prelude", length: Length(minutes: 1, seconds: 0)))
        if let old = try transaction.fetch(Track.self, key: "Finale") { try transaction.delete(old) }
      }
      #expect(try store.fetch(Track.self).map(\.title) == ["Prelude"])
      try store.close()
      let later = try await RecordStore(url: url, vault: vault, Song.self)
      let song = try #require(try later.fetch(Song.self, key: "Prelude"))
      #expect(song.length == Length(minutes: 1, seconds: 0) && song.plays == 0 && song.comment == nil)
    }
  }
}

enum FromSwiftSQLiteORM {
  typealias Length = RecordsPage.Length

  struct Track: Record {
    static var primaryKey: KeyPath<Track, String> { \.title }
    var title: String
    var length: Length
  }

  @Suite("The manual: from SwiftSQLiteORM to records")
  struct Tests {
    @Test("The same program")
    func program() async throws {
      let place = try Place()
      let (url, vault) = (place.file("records.store"), place.vault)
      let store = try await RecordStore(url: url, vault: vault, Track.self)
      try store.push([
        Track(title: "Overture", length: Length(minutes: 4, seconds: 20)),
        Track(title: "Finale", length: Length(minutes: 8, seconds: 0)),
      ])
      let title = "Finale"
      let found = try store.fetch(Track.self, where: #Predicate { $0.title == title })
      try store.delete(found)
      try store.clear(Track.self)
      try await store.drop(Track.self)
      #expect(found.map(\.length.minutes) == [8])
    }
  }
}
