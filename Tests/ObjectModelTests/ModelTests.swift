import Foundation
import ObjectModel
import Testing

@Suite("Models")
struct ModelTests {
  @Test("a superentity's slots and fields are a prefix of its subentities'")
  func slots() throws {
    let model = try ManagedObjectModel {
      EntityDescription("C", parent: "B") { AttributeDescription("c", .string) }
      EntityDescription("B", parent: "A") {
        AttributeDescription("b", .date)
        RelationshipDescription("many", toMany: "A", inverse: "one")
      }
      EntityDescription("A", abstract: true) {
        AttributeDescription("a", .string)
        AttributeDescription("t", .undefined, transient: true)
        RelationshipDescription("one", to: "B", inverse: "many")
      }
    }
    let (a, c) = (try #require(model.entity(named: "A")), try #require(model.entity(named: "C")))
    #expect(c.properties.map(\.name) == ["a", "t", "one", "b", "many", "c"])
    #expect(Array(c.properties.prefix(3)) == a.properties)
    #expect(
      c.storedFields.count == 4 && c.attribute(named: "c")?.field == 3 && c.attribute(named: "t")?.field == -1
    )
    #expect(a.family.map(\.name) == ["A", "B", "C"] && c.isKind(of: a) && !a.isKind(of: c) && c.root === a)
    #expect(a.relationship(named: "one")?.inverse === model.entity(named: "B")?.relationship(named: "many"))
  }

  @Test("every fault of a model comes at once, with its place")
  func faults() throws {
    do {
      _ = try ManagedObjectModel {
        EntityDescription("A") {
          AttributeDescription("x", .integer16, default: 70000)
          AttributeDescription("x", .string)
          RelationshipDescription("y", to: "Nowhere")
          RelationshipDescription("z", toMany: "B", inverse: "nothing")
          UniquenessConstraint("missing")
        }
        EntityDescription("B", parent: "A") { AttributeDescription("x", .string) }
      }
      Issue.record("a wrong model was taken")
    } catch {
      let reasons = Set(error.faults.map { "\($0.reason) \($0.entity ?? "").\($0.property ?? "")" })
      #expect(
        reasons == [
          "wrongDefault A.x", "duplicateName A.x", "missingDestination A.y", "missingInverse A.z",
          "unknownProperty A.missing", "redeclaredProperty B.x",
        ])
    }
    for parents in [["A": "A"], ["A": "B", "B": "A"], ["A": "Missing"]] {
      #expect(throws: ModelError.self) {
        try ManagedObjectModel(
          ModelDescription(entities: parents.map { EntityDescription($0.key, parent: $0.value) }))
      }
    }
    #expect(throws: ModelError.self) { try ManagedObjectModel { EntityDescription("") } }
  }

  @Test("JSON gives an equal model back, with an equal hash")
  func json() throws {
    let model = try ManagedObjectModel {
      EntityDescription("A", className: "Aclass") {
        AttributeDescription("d", .double, default: .double(.infinity), userInfo: ["k": "v"])
        AttributeDescription("n", .decimal, default: .decimal(Decimal(string: "1.10")!))
        AttributeDescription("t", .date, default: .date(Date(timeIntervalSinceReferenceDate: 0.1)))
        FetchIndexDescription("byD", on: "d")
        UniquenessConstraint("n")
      }
    }
    let again = try ManagedObjectModel(jsonData: try model.jsonData())
    #expect(again == model && again.versionHash == model.versionHash)
    #expect(throws: ModelError.self) { try ManagedObjectModel(jsonData: Data("{}".utf8)) }
  }

  @Test(
    "models of equal descriptions have the same entities, so that decoding one again and again takes no memory"
  )
  func shared() throws {
    func model(_ text: String) throws -> ManagedObjectModel {
      try ManagedObjectModel {
        EntityDescription("Note") { AttributeDescription("text", .string, default: .string(text)) }
      }
    }
    let (one, same, other) = (try model("a"), try model("a"), try model("b"))
    #expect(one == same && one.entities[0] === same.entities[0])
    #expect(one != other && one.entities[0] !== other.entities[0])
    #expect(one.versionHash == same.versionHash)
  }

  @Test("the version hash changes with what is stored and not with what is not")
  func hashes() throws {
    func hash(_ attribute: AttributeDescription) throws -> Data {
      try ManagedObjectModel { EntityDescription("A") { attribute } }.versionHash
    }
    let base = try hash(AttributeDescription("a", .string))
    #expect(try hash(AttributeDescription("a", .string, default: "x", userInfo: ["a": "b"])) == base)
    #expect(try hash(AttributeDescription("b", .string)) != base)
    #expect(try hash(AttributeDescription("a", .uri)) != base)
    #expect(try hash(AttributeDescription("a", .string, optional: false)) != base)
    // Stores keep the hash: when this changes, no store made before opens any more.
    let hex = base.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(hex == "72333c0c39f25e14d7429426a7f13f0f5a33042694432358c119d708e460b272")
  }

  @Test("a Core Data model file is read with all it says, and what is odd in it is told")
  func xcdatamodel() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "\(UUID().uuidString).xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let xml = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="7">
        <entity name="Trip" representedClassName="Trip" syncable="YES" elementID="Journey">
          <attribute name="name" optional="YES" attributeType="String" defaultValueString="new" minValueString="1"/>
          <attribute name="count" attributeType="Integer 32" defaultValueString="NO" usesScalarValueType="YES"/>
          <attribute name="begins" optional="YES" attributeType="Date" defaultDateTimeInterval="-978307200"/>
          <attribute name="id" optional="YES" attributeType="UUID" defaultValueString="empy" futureMark="yes"/>
          <relationship name="stops" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Stop" inverseName="trip" inverseEntity="Stop"/>
          <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="descending"/></fetchIndex>
          <uniquenessConstraints><uniquenessConstraint><constraint value="id"/></uniquenessConstraint></uniquenessConstraints>
          <userInfo><entry key="note" value="a &amp; b"/></userInfo>
        </entity>
        <entity name="Stop"><relationship name="trip" maxCount="1" deletionRule="Nullify" destinationEntity="Trip" inverseName="stops" inverseEntity="Trip"/></entity>
        <unheardOf/>
      </model>
      """
    try Data(xml.utf8).write(to: folder.appendingPathComponent("contents"))
    let result = try ManagedObjectModel.load(contentsOf: folder)
    let trip = try #require(result.model.entity(named: "Trip"))
    #expect(
      trip.attribute(named: "count")?.defaultValue == 0 && trip.attribute(named: "count")?.isOptional == false
    )
    #expect(
      trip.attribute(named: "begins")?.defaultValue
        == .date(Date(timeIntervalSinceReferenceDate: -978_307_200)))
    #expect(trip.attribute(named: "id")?.defaultValue == .null)
    #expect(trip.attribute(named: "id")?.declaration.extras == ["futureMark": "yes"])
    #expect(trip.relationship(named: "stops")?.isOrdered == true)
    #expect(trip.relationship(named: "stops")?.deleteRule == .cascade)
    #expect(trip.relationship(named: "stops")?.inverse?.isToMany == false)
    #expect(
      trip.declaration.renamingIdentifier == "Journey" && trip.declaration.userInfo == ["note": "a & b"])
    #expect(trip.fetchIndexes.first?.elements.first?.isAscending == false)
    #expect(trip.uniquenessConstraints == [UniquenessConstraint("id")])
    #expect(result.warnings.count == 3, "\(result.warnings)")
    #expect(result.warnings.contains { $0.contains("futureMark of <attribute> Trip.id") })
    // Written back and read again it is the same, and so are the warnings but for what was left out.
    let again = folder.appendingPathComponent("Again.xcdatamodeld")
    try result.model.description.write(xcdatamodeld: again)
    let back = try ManagedObjectModel.load(contentsOf: again)
    #expect(back.model == result.model && back.model.versionHash == result.model.versionHash)
    #expect(back.warnings.count == 1, "\(back.warnings)")
  }

  @Test("a line of inheritance that would take memory by its square is a fault, and a fair one is none")
  func depth() throws {
    func line(_ count: Int) -> [EntityDescription] {
      (0..<count).map { EntityDescription("E\($0)", parent: $0 == 0 ? nil : "E\($0 - 1)") }
    }
    #expect(try ManagedObjectModel(ModelDescription(entities: line(200))).entities.count == 200)
    for entities in [line(20_000), line(20_000).reversed()] {
      #expect { try ManagedObjectModel(ModelDescription(entities: entities)) } throws: { error in
        (error as? ModelError)?.faults.map(\.reason) == [.tooLarge]
      }
    }
  }

  @Test("hostile model files end in an error")
  func hostile() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "\(UUID().uuidString).xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for text in [
      "", "not xml", "<a/>", "<model>", "<!DOCTYPE m [<!ENTITY x 'y'>]><model>&x;</model>",
      String(repeating: "<model>", count: 5000), "<model><entity/></model>",
      // Stops Foundation's parser, and the program with it.
      "<model><?x?></model>", "<?xm?><model></model>", "\u{FEFF}<?xml version=\"1.0\"?><?x?><model></model>",
      // Would be read in that encoding, where a document type looks different.
      "<?xml version=\"1.0\" encoding=\"UTF-7\"?><model></model>",
      "<?xml version='1.0' encoding = 'IBM037'?><model></model>",
    ] {
      try Data(text.utf8).write(to: folder.appendingPathComponent("contents"))
      #expect(throws: ModelError.self, "\(text.prefix(20))") {
        try ManagedObjectModel.load(contentsOf: folder)
      }
    }
  }

  /// Real models, where the checkout stands beside a collection of them.
  private static let collection = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/models")

  @Test("published apps' models load", .enabled(if: FileManager.default.fileExists(atPath: collection.path)))
  func published() throws {
    let all = FileManager.default.enumerator(at: Self.collection, includingPropertiesForKeys: nil)
    var versions = 0
    for case let url as URL in try #require(all) where url.lastPathComponent == "contents" {
      do {
        _ = try ManagedObjectModel.load(contentsOf: url)
        versions += 1
      } catch {
        Issue.record("\(url.path.suffix(120)): \(error)")
      }
    }
    #expect(versions > 300)
  }

  @Test(
    "A derivation that cannot be computed is told, and read from files as before",
    arguments: [
      "capitalised:(name)", "nothing", "books.@sum.title", "books.@count.x", "name", "canonical:(count)", "",
    ])
  func underivable(expression: String) throws {
    func description(_ type: AttributeType) -> ModelDescription {
      var attribute = AttributeDescription("derived", type)
      attribute.derivationExpression = expression
      return ModelDescription(entities: [
        EntityDescription("Shelf") {
          AttributeDescription("name", .string)
          AttributeDescription("count", .integer32)
          RelationshipDescription("books", toMany: "Book", inverse: "shelf")
          attribute
        },
        EntityDescription("Book") {
          AttributeDescription("title", .string)
          RelationshipDescription("shelf", to: "Shelf", inverse: "books")
        },
      ])
    }
    let error = #expect(throws: ModelError.self) { try ManagedObjectModel(description(.integer64)) }
    #expect(error?.faults.map(\.property) == ["derived"])
    let data = try JSONEncoder().encode(description(.integer64))
    let read = try ManagedObjectModel(jsonData: data)
    #expect(read.entity(named: "Shelf")?.attribute(named: "derived")?.derivation == nil)
    #expect(try ManagedObjectModel(jsonData: read.jsonData()) == read)
  }

  @Test("Models merge: relationships lead from one to another, what is the same comes once")
  func merging() throws {
    let tag = EntityDescription("Tag") { AttributeDescription("name", .string) }
    let note = EntityDescription("Note") {
      AttributeDescription("title", .string)
      AttributeDescription("place", .composite, composite: "Place")
      RelationshipDescription("author", to: "Author", inverse: "notes")
    }
    let author = EntityDescription("Author") {
      RelationshipDescription("notes", toMany: "Note", inverse: "author")
    }
    let place = CompositeDescription("Place", [AttributeDescription("city", .string)])
    let first = ModelDescription(
      entities: [note, tag], composites: [place], configurations: ["A": ["Note"]], versionIdentifiers: ["1"])
    let second = ModelDescription(
      entities: [author, tag], composites: [place], configurations: ["A": ["Author", "Note"], "B": ["Tag"]],
      versionIdentifiers: ["1", "2"])
    let both = try ModelDescription(merging: [first, second])
    let model = try ManagedObjectModel(both)
    #expect(model.entities.map(\.name) == ["Author", "Note", "Tag"])
    #expect(
      both.configurations == ["A": ["Note", "Author"], "B": ["Tag"]] && both.versionIdentifiers == ["1", "2"])
    #expect(model.entity(named: "Note")?.relationship(named: "author")?.inverse?.name == "notes")
    let alone = try ManagedObjectModel { tag }
    #expect(try ManagedObjectModel(merging: [model, alone]) == model)
    #expect(try ManagedObjectModel(merging: [alone]) == alone)
    #expect(try ManagedObjectModel(merging: []).entities.isEmpty)
    let other = try ManagedObjectModel {
      EntityDescription("Tag") { AttributeDescription("name", .integer16) }
      EntityDescription("Stamp") { AttributeDescription("name", .string) }
    }
    let error = #expect(throws: ModelError.self) { try ManagedObjectModel(merging: [model, alone, other]) }
    #expect(error?.faults.map(\.entity) == ["Tag"] && error?.faults.map(\.reason) == [.duplicateName])
  }
}
