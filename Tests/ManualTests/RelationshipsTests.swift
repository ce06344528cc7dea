import Foundation
import StrongroomData
import Testing

enum Relationships {
  @Model final class Band {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Album.band) var albums: [Album] = []
    @Relationship(minimumModelCount: 1, maximumModelCount: 3) var members: [Musician] = []

    init(name: String) { self.name = name }
  }

  @Model final class Album {
    var title: String
    var position: Int
    var band: Band?

    init(_ title: String, position: Int = 0, band: Band? = nil) {
      self.title = title
      self.position = position
      self.band = band
    }
  }

  @Model final class Musician {
    var name: String
    var bands: [Band] = []

    init(name: String) { self.name = name }
  }

  @Model final class Label {
    var name: String
    @Relationship(deleteRule: .deny, inverse: \Contract.label) var contracts: [Contract] = []

    init(name: String) { self.name = name }
  }

  @Model final class Contract {
    var label: Label

    init(label: Label) { self.label = label }
  }
}

extension Relationships {
  @Suite("The manual: relationships")
  struct Tests {
    @Test("Both ends change, new models come along, and deleting follows the rules")
    func life() throws {
      let place = try Place()
      let context = ModelContext(try place.container(for: Band.self))
      let band = Band(name: "The Pages")
      context.insert(band)
      let album = Album("Spine", position: 2)
      band.albums.append(album)  // album.band is the band now
      let other = Album("Cover", position: 1, band: band)  // band.albums has both
      band.members = [Musician(name: "Ada"), Musician(name: "Bo")]
      let bandsOfAda = band.members[0].bands
      #expect(album.band === band && Set(band.albums) == [album, other] && bandsOfAda == [band])
      let isHere = album.modelContext == context && other.modelContext == context
      let inserted = context.insertedModelsArray.count
      try context.save()
      #expect(isHere && inserted == 5 && !context.hasChanges)
      let inOrder = band.albums.sorted { $0.position < $1.position }
      #expect(inOrder.map(\.title) == ["Cover", "Spine"])
      context.delete(band)
      let gone = context.deletedModelsArray.count  // the band and two albums
      try context.save()
      let left = try context.fetchCount(FetchDescriptor<Musician>())
      #expect(gone == 3 && left == 2)
      #expect(try context.fetchCount(FetchDescriptor<Album>()) == 0)
    }

    @Test("A relationship tells its kind")
    func schema() throws {
      let schema = Schema(Band.self)
      let albums = try #require(schema.entity(for: Band.self)?.relationshipsByName["albums"])
      #expect(albums.deleteRule == .cascade && albums.inverseName == "band" && albums.destination == "Album")
      #expect(!albums.isToOneRelationship && albums.isRelationship)
      let members = schema.entity(for: Band.self)?.relationshipsByName["members"]
      #expect(members?.minimumModelCount == 1 && members?.maximumModelCount == 3)
      let band = schema.entity(for: Album.self)?.relationships.first
      #expect(band?.isToOneRelationship == true && band?.isOptional == true)
      #expect(Schema.Relationship.DeleteRule.allCases.count == 4)
    }

    @Test("A denied deletion stays undone")
    func denied() throws {
      let place = try Place()
      let container = try place.container(for: Label.self)
      let context = ModelContext(container)
      let label = Label(name: "Press")
      context.insert(label)
      let contract = Contract(label: label)
      try context.save()
      context.delete(label)
      do {
        try context.save()
      } catch {
        context.rollback()  // the label has a contract, so it stays
      }
      #expect(!label.isDeleted && label.modelContext == context && label.contracts == [contract])
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Label>()) == 1)
      context.delete(contract)
      context.delete(label)
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Label>()) == 0)
    }

    @Test("A broken count is told, and nothing is saved")
    func counts() throws {
      let place = try Place()
      let context = ModelContext(try place.container(for: Band.self))
      context.insert(Band(name: "Nobody"))
      do {
        try context.save()
      } catch SwiftDataError.modelValidationFailure {
        context.rollback()
      }
      #expect(!context.hasChanges)
      let band = Band(name: "Crowd")
      band.members = (1...4).map { Musician(name: "\($0)") }
      context.insert(band)
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
      band.members.removeLast()
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Band>()) == 1)
    }
  }
}
