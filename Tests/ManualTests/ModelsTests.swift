import Foundation
import StrongroomData
import Testing

enum Models {
  enum Mood: String, Codable {
    case calm, bright
  }

  struct Position: Codable, Hashable {
    var latitude: Double
    var longitude: Double
  }

  @Model final class Note {
    #Unique<Note>([\.year, \.number])
    #Index<Note>([\.written], [\.mood, \.written])

    var title: String
    var year: Int
    var number: Int
    var written: Date
    var mood: Mood = Mood.calm
    var tags: [String] = []
    var position: Position?
    var link: URL?
    @Attribute(.externalStorage) var scan: Data?
    @Attribute(.ephemeral) var views: Int = 0
    @Transient var isOpen = false
    var heading: String { "\(year)/\(number) \(title)" }

    init(_ title: String, year: Int, number: Int, written: Date = .now) {
      self.title = title
      self.year = year
      self.number = number
      self.written = written
    }
  }

  @Model final class Sight {
    #Index<Sight>(.binary([\.name]), .rtree([\.latitude, \.longitude]), .fullText([\.name, \.notes]))

    var name: String
    var notes = ""
    var latitude: Double
    var longitude: Double

    init(_ name: String, latitude: Double, longitude: Double) {
      self.name = name
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  @Model class Vehicle {
    var name: String
    var wheels: Int

    init(name: String, wheels: Int) {
      self.name = name
      self.wheels = wheels
    }
  }

  @Model final class Bicycle: Vehicle {
    var gears: Int

    init(name: String, gears: Int) {
      self.gears = gears
      super.init(name: name, wheels: 2)
    }
  }

  @Model final class Draft {
    var revision = 0
    var text = "" {
      didSet { if text != oldValue { revision += 1 } }
    }
  }

  struct Colour: Equatable {
    var red: UInt8
    var green: UInt8
  }

  final class TintTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
      (value as? Colour).map { Data([$0.red, $0.green]) }
    }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data).map { Colour(red: $0[$0.startIndex], green: $0[$0.startIndex + 1]) }
    }
  }

  @Model final class Paint {
    @Attribute(.transformable(by: TintTransformer.self)) var colour: Colour
    @Attribute(.transformable(by: "second")) var second: Colour?

    init(_ colour: Colour) { self.colour = colour }
  }
}

extension Models {
  @Suite("The manual: models")
  struct Tests {
    @Test("A value is written and read in pieces")
    func pieces() throws {
      let place = try Place()
      let context = ModelContext(try place.container(for: Note.self))
      let note = Note("First", year: 2024, number: 1)
      context.insert(note)
      try context.save()
      let film = place.file("film")
      try Data(repeating: 1, count: 300_000).write(to: film)
      try context.writeValue(contentsOf: film, to: note, \.scan)
      guard let reader = try context.openValue(of: note, \.scan) else { return }  // nil where it is nil
      defer { reader.close() }
      var length = 0
      while let piece = try reader.read(upToCount: 65_536) { length += piece.count }
      #expect(length == 300_000 && note.scan?.count == 300_000)
      try context.writeValue(count: 2_000_000, to: note, \.scan) { writer in
        while writer.offset < writer.count { try writer.write(contentsOf: Data(count: 100_000)) }
      }
      #expect(note.scan == Data(count: 2_000_000))
    }

    @Test("A model keeps every kind of value, and a unique one changes what is stored")
    func values() throws {
      let place = try Place()
      let container = try place.container(for: Note.self)
      let context = ModelContext(container)
      context.insert(Note("First", year: 2024, number: 1))
      try context.save()
      context.insert(Note("Second thoughts", year: 2024, number: 1))
      try context.save()
      let notes = try context.fetch(FetchDescriptor<Note>())
      let titles = notes.map(\.title)  // one note, with the second title
      #expect(titles == ["Second thoughts"])
      let note = notes[0]
      note.mood = .bright
      note.tags = ["new"]
      note.position = Position(latitude: 59.9, longitude: 10.7)
      note.link = URL(string: "https://example.org")
      note.scan = Data(repeating: 1, count: 100_000)
      note.views = 3
      note.isOpen = true
      try context.save()
      #expect(note.views == 3 && note.heading == "2024/1 Second thoughts")
      let fresh = ModelContext(container)
      let other = try #require(try fresh.fetch(FetchDescriptor<Note>()).first)
      #expect(other.mood == .bright && other.tags == ["new"] && other.scan?.count == 100_000)
      #expect(other.position == Position(latitude: 59.9, longitude: 10.7))
      #expect(other.link == note.link && other.written == note.written)
      #expect(other.views == 0 && !other.isOpen)
      let north = FetchDescriptor<Note>(predicate: #Predicate { ($0.position?.latitude ?? 0) > 50 })
      let south = FetchDescriptor<Note>(predicate: #Predicate { ($0.position?.latitude ?? 0) < 50 })
      #expect(try fresh.fetchCount(north) == 1 && fresh.fetchCount(south) == 0)
      let whole = Position(latitude: 59.9, longitude: 10.7)
      #expect(
        try fresh.fetchCount(FetchDescriptor<Note>(predicate: #Predicate { $0.position == whole })) == 1)
      #expect(other != note && other.persistentModelID == note.persistentModelID && other.id == note.id)
    }

    @Test("A superclass is fetched with its subclasses")
    func superclasses() throws {
      let place = try Place()
      let context = ModelContext(try place.container(for: Bicycle.self))
      context.insert(Vehicle(name: "Cart", wheels: 4))
      context.insert(Bicycle(name: "Racer", gears: 21))
      let all = try context.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)]))
      let gears = all.compactMap { ($0 as? Bicycle)?.gears }
      try context.delete(model: Vehicle.self, includeSubclasses: false)  // the cart alone
      #expect(all.map(\.wheels) == [4, 2] && gears == [21])
      try context.save()
      #expect(try context.fetch(FetchDescriptor<Vehicle>()).map(\.name) == ["Racer"])
      let schema = context.container.schema
      #expect(schema.entity(for: Bicycle.self)?.superentity == schema.entity(for: Vehicle.self))
      #expect(schema.entitiesByName["Bicycle"]?.superentityName == "Vehicle")
    }

    @Test("Observers run when a property is set, not when a row is read")
    func observers() throws {
      let place = try Place()
      let container = try place.container(for: Draft.self)
      let context = ModelContext(container)
      let draft = Draft()
      context.insert(draft)
      draft.text = "One"
      draft.text = "One"
      draft.text = "Two"
      try context.save()
      #expect(draft.revision == 2)
      #expect(try ModelContext(container).fetch(FetchDescriptor<Draft>()).map(\.revision) == [2])
    }

    @Test("A transformer makes what is stored")
    func transformers() throws {
      let place = try Place()
      let container = try place.container(for: Paint.self)
      ValueTransformer.setValueTransformer(
        TintTransformer(), forName: NSValueTransformerName("second"))
      let isKnown = ValueTransformer.valueTransformer(forName: NSValueTransformerName("second")) != nil
      let known = ValueTransformer.valueTransformerNames().map(\.rawValue)
      #expect(isKnown && known.contains("second") && known.contains("TintTransformer"))
      #expect(TintTransformer.allowsReverseTransformation())
      let paint = Paint(Colour(red: 1, green: 2))
      paint.second = Colour(red: 3, green: 4)
      let context = ModelContext(container)
      context.insert(paint)
      try context.save()
      let fresh = ModelContext(container)
      let stored = try #require(try fresh.fetch(FetchDescriptor<Paint>()).first)
      #expect(stored.colour == Colour(red: 1, green: 2) && stored.second == Colour(red: 3, green: 4))
      let attribute = container.schema.entity(for: Paint.self)?.attributesByName["colour"]
      #expect(attribute?.isTransformable == true)
    }

    @Test("Who reads a property hears when it changes")
    func observation() throws {
      let place = try Place()
      let context = ModelContext(try place.container(for: Note.self))
      let note = Note("Before", year: 2024, number: 1)
      context.insert(note)
      try context.save()
      let changes = Tally()
      let shown = withObservationTracking {
        note.title
      } onChange: {
        changes.add()
      }
      note.title = "Renamed"
      #expect(shown == "Before" && changes.value == 1)
      #expect(
        withObservationTracking {
          note.title
        } onChange: {
          changes.add()
        } == "Renamed")
      context.rollback()
      #expect(changes.value == 2 && note.title == "Before")
    }

    @Test("Indexes of every kind in one #Index")
    func kindsOfIndexes() throws {
      let sight = Schema([Sight.self]).entity(for: Sight.self)
      #expect(sight?.indices == [["name"], ["latitude", "longitude"], ["name", "notes"]])
    }

    @Test("A schema tells what is in it")
    func schema() throws {
      let schema = Schema([Note.self], version: Schema.Version(1, 2, 0))
      let entity = schema.entity(for: Note.self)
      let name = Schema.entityName(for: Note.self)  // "Note"
      let names = entity?.attributes.map(\.name)
      let scan = entity?.attributesByName["scan"]
      let isExternal = scan?.options.contains(.externalStorage)
      let isOptional = scan?.isOptional
      let constraints = entity?.uniquenessConstraints  // [["year", "number"]]
      let indexes = entity?.indices  // [["written"], ["mood", "written"]]
      #expect(name == "Note" && names?.contains("title") == true && names?.contains("isOpen") == false)
      #expect(isExternal == true && isOptional == true && scan?.isUnique == false)
      #expect(constraints == [["year", "number"]] && indexes == [["written"], ["mood", "written"]])
      #expect(schema.version == Schema.Version(1, 2, 0) && schema.version < Schema.Version(1, 10, 0))
      #expect("\(schema.version)" == "1.2.0" && schema.version.minor == 2)
      #expect(schema.entitiesByName["Note"]?.attributesByName["views"]?.isTransient == true)
      #expect(entity?.storedPropertiesByName["mood"]?.isAttribute == true)
      #expect(entity?.properties.contains { $0.isRelationship } == false)
      #expect(entity?.attributesByName["title"]?.valueType == String.self)
    }

    final class Plain {}
    @Model final class Odd {
      @Attribute(.unique, originalName: "old", hashModifier: "2") var new = ""
      @Attribute(.spotlight, .preserveValueOnDeletion, .allowsCloudEncryption) var secret = ""
    }

    @Test("What is said of an attribute is in the schema, and two classes of one name are refused")
    func attributes() throws {
      let new = try #require(Schema(Odd.self).entity(for: Odd.self)?.attributesByName["new"])
      #expect(new.originalName == "old" && new.hashModifier == "2" && new.isUnique)
      #expect(new.options == [.unique])
      let secret = Schema([Odd.self]).entity(for: Odd.self)?.attributesByName["secret"]
      #expect(secret?.options == [.spotlight, .preserveValueOnDeletion, .allowsCloudEncryption])
      #expect(throws: SwiftDataError.unknownSchema) {
        try ModelContainer(
          for: Note.self, Another.Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      }
    }

    enum Another {
      @Model final class Note {
        var text = ""
      }
    }

    @Model final class Spot {
      #Index<Spot>(.binary([\.name]), .rtree([\.latitude, \.longitude]))
      var name = ""
      var latitude = 0.0
      var longitude = 0.0
    }

    @Test("An R-tree serves conditions on ranges")
    func boxes() throws {
      let place = try Place()
      let context = ModelContext(try place.container(for: Spot.self))
      for number in 0..<50 {
        let spot = Spot()
        spot.name = "\(number)"
        spot.latitude = Double(number)
        spot.longitude = Double(-number)
        context.insert(spot)
      }
      try context.save()
      let found = try context.fetch(
        FetchDescriptor<Spot>(
          predicate: #Predicate { $0.latitude > 9 && $0.latitude < 12 && $0.longitude > -11.5 }))
      #expect(Set(found.map(\.name)) == ["10", "11"])
      #expect(context.container.schema.entity(for: Spot.self)?.indices.count == 2)
    }

    @Model final class Track {
      var title: String
      var length = 0.0
      init(title: String) { self.title = title }
    }

    @Test("A schema made by hand makes the store of a class")
    func byHand() throws {
      let place = try Place()
      let configuration = ModelConfiguration(url: place.file("tracks.store"), keyVault: place.vault)
      let file = place.file("schema.json")
      let title = Schema.Attribute(name: "title", options: [.unique], valueType: String.self)
      let length = Schema.Attribute(name: "length", valueType: Double.self, defaultValue: 0.0)
      let track = Schema.Entity("Track", properties: title, length)
      track.indices = [["length"]]
      let schema = Schema(track, version: Schema.Version(2, 0, 0))
      let container = try ModelContainer(for: schema, configurations: configuration)
      let context = ModelContext(container)
      context.insert(Track(title: "Prelude"))  // the program's class of the entity's name
      try context.save()
      try schema.save(to: file)  // as JSON
      let read = try Schema.load(from: file)  // opens the same store
      #expect(read == schema && read.entity(for: Track.self)?.indices == [["length"]])
      let again = ModelContext(try ModelContainer(for: read, configurations: configuration))
      #expect(try again.fetch(FetchDescriptor<Track>()).map(\.title) == ["Prelude"])
    }
  }
}
