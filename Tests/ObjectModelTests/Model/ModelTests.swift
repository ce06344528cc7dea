import Foundation
import ObjectModel
import Testing

@Suite("Models")
struct ModelTests {
  @Test("a superentity's indexes and fields are a prefix of its subentities'")
  func indexes() throws {
    let model = try ManagedObjectModel {
      Entity("C", parent: "B") { Attribute("c", .string) }
      Entity("B", parent: "A") {
        Attribute("b", .date)
        Relationship("many", toMany: "A", inverse: "one")
      }
      Entity("A", abstract: true) {
        Attribute("a", .string)
        Attribute("t", .undefined, transient: true)
        Relationship("one", to: "B", inverse: "many")
      }
    }
    let (a, c) = (try #require(model.entity(named: "A")), try #require(model.entity(named: "C")))
    #expect(c.properties.map(\.name) == ["a", "t", "one", "b", "many", "c"])
    #expect(Array(c.properties.prefix(3)) == a.properties)
    #expect(
      c.storedFields.count == 4 && c.attribute(named: "c")?.field == 3 && c.attribute(named: "t")?.field == -1
    )
    #expect(
      a.hierarchy.map(\.name) == ["A", "B", "C"] && c.isKind(of: a) && !a.isKind(of: c) && c.root === a)
    #expect(a.relationship(named: "one")?.inverse === model.entity(named: "B")?.relationship(named: "many"))
  }

  @Test("every fault of a model comes at once, with its place")
  func faults() throws {
    do {
      _ = try ManagedObjectModel {
        Entity("A") {
          Attribute("x", .integer16, default: 70000)
          Attribute("x", .string)
          Attribute("u.v", .string)
          Attribute("@w", .string)
          Attribute("n", .double, default: .double(.nan))
          Relationship("y", to: "Nowhere")
          Relationship("z", toMany: "B", inverse: "nothing")
          UniquenessConstraint("missing")
        }
        Entity("B", parent: "A") { Attribute("x", .string) }
      }
      Issue.record("a wrong model was taken")
    } catch {
      let reasons = Set(error.issues.map { "\($0.reason) \($0.entity ?? "").\($0.property ?? "")" })
      #expect(
        reasons == [
          "wrongDefault A.x", "duplicateName A.x", "missingDestination A.y", "missingInverse A.z",
          "unknownProperty A.missing", "redeclaredProperty B.x", "invalidName A.u.v", "invalidName A.@w",
          "wrongDefault A.n",
        ])
    }
    for parents in [["A": "A"], ["A": "B", "B": "A"], ["A": "Missing"]] {
      #expect(throws: ModelError.self) {
        try ManagedObjectModel(
          ModelDeclaration(entities: parents.map { Entity($0.key, parent: $0.value) }))
      }
    }
    #expect(throws: ModelError.self) { try ManagedObjectModel { Entity("") } }
  }

  @Test("JSON gives an equal model back, with an equal hash")
  func json() throws {
    let model = try ManagedObjectModel {
      Entity("A", className: "Aclass") {
        Attribute("d", .double, default: .double(.infinity), userInfo: ["k": "v"])
        Attribute("n", .decimal, default: .decimal(Decimal(string: "1.10")!))
        Attribute("t", .date, default: .date(Date(timeIntervalSinceReferenceDate: 0.1)))
        FetchIndex("byD", on: "d")
        UniquenessConstraint("n")
      }
    }
    let again = try ManagedObjectModel(jsonData: try model.jsonData())
    #expect(again == model && again.versionHash == model.versionHash)
    #expect(throws: ModelError.self) { try ManagedObjectModel(jsonData: Data("{}".utf8)) }
  }

  @Test("models of equal declarations share their entities, so that decoding one again takes no memory")
  func shared() throws {
    func model(_ text: String) throws -> ManagedObjectModel {
      try ManagedObjectModel {
        Entity("Note") { Attribute("text", .string, default: .string(text)) }
      }
    }
    let (one, same, other) = (try model("a"), try model("a"), try model("b"))
    #expect(one == same && one.entities[0] === same.entities[0])
    #expect(one != other && one.entities[0] !== other.entities[0])
    #expect(one.versionHash == same.versionHash)
  }

  @Test("the version hash changes with what is stored and not with what is not")
  func hashes() throws {
    func hash(_ attribute: Attribute) throws -> Data {
      try ManagedObjectModel { Entity("A") { attribute } }.versionHash
    }
    let base = try hash(Attribute("a", .string))
    #expect(try hash(Attribute("a", .string, default: "x", userInfo: ["a": "b"])) == base)
    #expect(try hash(Attribute("b", .string)) != base)
    #expect(try hash(Attribute("a", .uri)) != base)
    #expect(try hash(Attribute("a", .string, optional: false)) != base)
    // Stores keep the hash: when this changes, no store made before opens any more.
    let hex = base.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    #expect(hex == "72333c0c39f25e14d7429426a7f13f0f5a33042694432358c119d708e460b272")
  }

  @Test("a Core Data model file is read whole, and unknown parts are warnings")
  func xcdatamodel() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "\(UUID().uuidString).xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let xml = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
      userDefinedModelVersionIdentifier="7">
        <entity name="Trip" representedClassName="Trip" syncable="YES" elementID="Journey">
          <attribute name="name" optional="YES" attributeType="String" defaultValueString="new" \
      minValueString="1"/>
          <attribute name="count" attributeType="Integer 32" defaultValueString="NO" \
      usesScalarValueType="YES"/>
          <attribute name="begins" optional="YES" attributeType="Date" defaultDateTimeInterval="-978307200"/>
          <attribute name="id" optional="YES" attributeType="UUID" defaultValueString="empy" \
      futureMark="yes"/>
          <relationship name="stops" optional="YES" toMany="YES" ordered="YES" \
      deletionRule="Cascade" destinationEntity="Stop" inverseName="trip" inverseEntity="Stop"/>
          <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" \
      order="descending"/></fetchIndex>
          <uniquenessConstraints><uniquenessConstraint><constraint \
      value="id"/></uniquenessConstraint></uniquenessConstraints>
          <userInfo><entry key="note" value="a &amp; b"/></userInfo>
        </entity>
        <entity name="Stop"><relationship name="trip" maxCount="1" deletionRule="Nullify" \
      destinationEntity="Trip" inverseName="stops" inverseEntity="Trip"/></entity>
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
    // Written back and read again it is the same, and so are the warnings but for what was left
    // out.
    let again = folder.appendingPathComponent("Again.xcdatamodeld")
    try result.model.declaration.write(xcdatamodeld: again)
    let back = try ManagedObjectModel.load(contentsOf: again)
    #expect(back.model == result.model && back.model.versionHash == result.model.versionHash)
    #expect(back.warnings.count == 1, "\(back.warnings)")
  }

  @Test("a line of inheritance that would take memory by its square is a fault, and a fair one is none")
  func depth() throws {
    func line(_ count: Int) -> [Entity] {
      (0..<count).map { Entity("E\($0)", parent: $0 == 0 ? nil : "E\($0 - 1)") }
    }
    #expect(try ManagedObjectModel(ModelDeclaration(entities: line(200))).entities.count == 200)
    for entities in [line(20_000), line(20_000).reversed()] {
      #expect { try ManagedObjectModel(ModelDeclaration(entities: entities)) } throws: { error in
        (error as? ModelError)?.issues.map(\.reason) == [.tooLarge]
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
    "A derivation that cannot be computed is an error in code, and is read from files as before",
    arguments: [
      "capitalised:(name)", "nothing", "books.@sum.title", "books.@count.x", "name", "canonical:(count)", "",
    ])
  func underivable(expression: String) throws {
    func description(_ type: AttributeType) -> ModelDeclaration {
      var attribute = Attribute("derived", type)
      attribute.derivationExpression = expression
      return ModelDeclaration(entities: [
        Entity("Shelf") {
          Attribute("name", .string)
          Attribute("count", .integer32)
          Relationship("books", toMany: "Book", inverse: "shelf")
          attribute
        },
        Entity("Book") {
          Attribute("title", .string)
          Relationship("shelf", to: "Shelf", inverse: "books")
        },
      ])
    }
    let error = #expect(throws: ModelError.self) { try ManagedObjectModel(description(.integer64)) }
    #expect(error?.issues.map(\.property) == ["derived"])
    let data = try JSONEncoder().encode(description(.integer64))
    let read = try ManagedObjectModel(jsonData: data)
    #expect(read.entity(named: "Shelf")?.attribute(named: "derived")?.derivation == nil)
    #expect(try ManagedObjectModel(jsonData: read.jsonData()) == read)
  }

  @Test("Models merge: relationships cross from one to another, equal declarations come once")
  func merging() throws {
    let tag = Entity("Tag") { Attribute("name", .string) }
    let note = Entity("Note") {
      Attribute("title", .string)
      Attribute("place", .composite, composite: "Place")
      Relationship("author", to: "Author", inverse: "notes")
    }
    let author = Entity("Author") {
      Relationship("notes", toMany: "Note", inverse: "author")
    }
    let place = Composite("Place", [Attribute("city", .string)])
    let first = ModelDeclaration(
      entities: [note, tag], composites: [place], configurations: ["A": ["Note"]], versionIdentifiers: ["1"])
    let second = ModelDeclaration(
      entities: [author, tag], composites: [place], configurations: ["A": ["Author", "Note"], "B": ["Tag"]],
      versionIdentifiers: ["1", "2"])
    let both = try ModelDeclaration(merging: [first, second])
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
      Entity("Tag") { Attribute("name", .integer16) }
      Entity("Stamp") { Attribute("name", .string) }
    }
    let error = #expect(throws: ModelError.self) { try ManagedObjectModel(merging: [model, alone, other]) }
    #expect(error?.issues.map(\.entity) == ["Tag"] && error?.issues.map(\.reason) == [.duplicateName])
  }
}
