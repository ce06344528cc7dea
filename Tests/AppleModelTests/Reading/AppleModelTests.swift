import AppleModel
import Foundation
import KeyedArchive
import ObjectModel
import Testing

@Suite("Models of Apple's frameworks")
struct AppleModelTests {
  typealias Maker = ModelArchiveMaker

  @Test("attributes of every type, with their marks")
  func attributes() throws {
    var maker = Maker()
    let date = Date(timeIntervalSinceReferenceDate: 5)
    let id = UUID()
    let properties = [
      maker.attribute(
        "a", 100, ["NSDefaultValue": try maker.constant(.integer(7)), "NSIsOptional": .boolean(true)]),
      maker.attribute("b", 800, ["NSDefaultValue": try maker.constant(.boolean(false))]),
      maker.attribute("c", 400, ["NSDefaultValue": try maker.constant(.decimal(3))]),
      maker.attribute("d", 600, ["NSDefaultValue": try maker.constant(.real(0.1))]),
      maker.attribute("e", 900, ["NSDefaultValue": try maker.constant(.date(date))]),
      maker.attribute("f", 1100, ["NSDefaultValue": try maker.constant(.uuid(id))]),
      maker.attribute("g", 1000, ["NSFlagsKey": .integer(4)]),
      maker.attribute("h", 700, ["NSFlagsKey": .integer(16), "NSVersionHashModifier": maker.text("3")]),
      maker.attribute(
        "i", 300, ["NSIsTransient": .boolean(true), "NSRenamingIdentifier": maker.text("old")]),
      maker.attribute(
        "j", 1800,
        ["NSValueTransformerName": maker.text("T"), "NSAttributeValueClassName": maker.text("Color")]),
      maker.attribute("k", 700, ["NSAttributeValueClassName": maker.text("NSString")]),
    ]
    let entity = maker.entity(
      "E", properties.reversed(),
      [
        "NSClassNameForEntity": maker.text("App.E"),
        "NSUserInfo": maker.dictionary([("k", maker.writer.addString("v"))]),
      ])
    let model = try AppleModel(archive: maker.archive([entity]))
    #expect(model.notes.isEmpty, "\(model.notes)")
    let read = try #require(model.declaration.entities.first)
    #expect(read.managedObjectClassName == "App.E" && read.userInfo == ["k": "v"])
    #expect(read.attributes.map(\.name) == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"])
    #expect(
      read.attributes.map(\.type) == [
        .integer16, .boolean, .decimal, .float, .date, .uuid, .binary, .string, .integer64, .transformable,
        .string,
      ])
    #expect(
      read.attributes.map(\.defaultValue) == [
        7, false, .decimal(3), .double(Double(Float(0.1))), .date(date), .uuid(id), nil, nil, nil, nil, nil,
      ])
    #expect(read.attributes.map(\.isOptional) == [true] + Array(repeating: false, count: 10))
    #expect(
      read.attributes[6].allowsExternalBinaryDataStorage
        && !read.attributes[7].allowsExternalBinaryDataStorage)
    #expect(
      read.attributes[7].preservesValueInHistoryOnDeletion && read.attributes[7].versionHashModifier == "3")
    #expect(read.attributes[8].isTransient && read.attributes[8].renamingIdentifier == "old")
    #expect(
      read.attributes[9].valueTransformerName == "T" && read.attributes[9].attributeValueClassName == "Color")
    #expect(
      read.attributes[10].attributeValueClassName == nil && read.attributes[0].renamingIdentifier == nil)
    #expect(model.facts.attributes["E"]?["k"]?.valueClassName == "NSString")
    #expect(try model.managedObjectModel().entities.count == 1)
  }

  @Test("inherited properties and constraints are the superentity's only; proxies are looked through")
  func inheritance() throws {
    var maker = Maker()
    let name = maker.attribute("name", 700)
    let unique = maker.texts(["name"])
    let unique2 = maker.array(
      [unique].compactMap { if case .reference(let reference) = $0 { reference } else { nil } })
    let parent = maker.entity(
      "Parent", [name], ["NSIsAbstract": .boolean(true), "NSUniqueTuples": unique2])
    let proxy = maker.object(
      "_NSPropertyDescriptionProxy", ["NSPropertyDescription"], ["NSUnderlyingProperty": .reference(name.1)])
    let child = maker.entity(
      "Child", [("name", proxy), maker.attribute("own", 200)],
      ["NSSuperentity": .reference(parent.1), "NSUniqueTuples": unique2])
    let again = maker.entity(
      "Again", [maker.attribute("name", 700)], ["NSSuperentity": .reference(parent.1)])
    let model = try AppleModel(archive: maker.archive([parent, child, again]))
    #expect(model.facts.entityNames == ["Parent", "Child", "Again"])
    let entities = model.declaration.entities
    #expect(entities.map(\.name) == ["Again", "Child", "Parent"])
    #expect(entities.map(\.superentityName) == ["Parent", "Parent", nil])
    #expect(entities.map { $0.attributes.map(\.name) } == [[], ["own"], ["name"]])
    #expect(entities.map { $0.uniquenessConstraints.map(\.propertyNames) } == [[], [], [["name"]]])
    #expect(try model.managedObjectModel().entity(named: "Child")?.properties.count == 2)
  }

  @Test("relationships with inverse, counts, order and rule")
  func relationships() throws {
    var maker = Maker()
    let books = maker.relationship(
      "books", to: "Book",
      [
        "NSMaxCount": .integer(-1), "NSIsOrdered": .boolean(true), "NSDeleteRule": .integer(2),
        "NSIsOptional": .boolean(true), "_NSInverseRelationshipName": maker.text("author"),
      ])
    let author = maker.relationship("author", to: "Author", ["NSMinCount": .integer(1)])
    maker.writer.set(.reference(books.1), forKey: "NSInverseRelationship", of: author.1)
    let few = maker.relationship(
      "few", to: "Book", ["NSMaxCount": .integer(3), "NSMinCount": .integer(2), "NSDeleteRule": .integer(9)])
    let model = try AppleModel(
      archive: maker.archive([maker.entity("Author", [books, few]), maker.entity("Book", [author])]))
    let (first, second) = (
      model.declaration.entities[0].relationships, model.declaration.entities[1].relationships
    )
    #expect(first.map(\.name) == ["books", "few"] && first.map(\.isToMany) == [true, true])
    #expect(
      first[0].isOrdered && first[0].deleteRule == .cascade && first[0].maxCount == 0 && first[0].isOptional)
    #expect(first[0].inverseName == "author" && first[1].inverseName == nil)
    #expect(first[1].minCount == 2 && first[1].maxCount == 3 && first[1].deleteRule == .nullify)
    #expect(!second[0].isToMany && second[0].minCount == 1 && second[0].inverseName == "books")
    #expect(second[0].inverseEntityName == "Author")
    #expect(model.notes.map(\.description) == ["Author.few: its delete rule 9 is not known; it is nullify"])
  }

  @Test("composites inside each other, and SwiftData's marks")
  func composites() throws {
    var maker = Maker()
    func references(_ attributes: [(String, Maker.Reference)]) -> [Maker.Reference] { attributes.map(\.1) }
    let name = "NSCompositeAttributeDescription"
    let cases = maker.object(
      "NSDictionary", [],
      [
        "NS.keys": .references([maker.writer.addString("enum"), maker.writer.addString("EnumType")]),
        "NS.objects": .references([
          try maker.writer.add(.array([.string("never")])), try maker.writer.add(.boolean(true)),
        ]),
      ])
    let limits = [maker.attribute("low", 300), maker.attribute("high", 300)]
    let range = maker.attribute(
      "range", 2100, ["NSCompositeElements": maker.array(references(limits))], className: name)
    let never = maker.attribute("never", 700)
    let plan = maker.attribute(
      "plan", 2100,
      [
        "NSCompositeElements": maker.array([range.1, never.1]), "NSUserInfo": .reference(cases),
        "NSDefaultValue": try maker.constant(.dictionary([.init(.string("never"), .string("never"))])),
      ], className: name)
    let tags = maker.attribute(
      "tags", 1800,
      [
        "NSValueTransformerName": maker.text("NSSecureUnarchiveFromData"),
        "NSAttributeValueClassName": maker.text("Array<String>"),
      ])
    let model = try AppleModel(
      archive: maker.archive([maker.entity("Task", [plan, tags]), maker.entity("TaskPlan", [])]))
    #expect(model.notes.isEmpty && model.facts.isSwiftData)
    // An entity has the name that the composite would have.
    #expect(model.declaration.composites.map(\.name) == ["TaskPlan2", "TaskPlanRange"])
    #expect(
      model.declaration.composites.map { $0.attributes.map(\.name) } == [
        ["range", "never"], ["low", "high"],
      ])
    #expect(model.declaration.entities[0].attributes[0].defaultValue == .composite(["never": "never"]))
    let facts = try #require(model.facts.attributes["Task"])
    #expect(
      facts["plan"]?.elementNames == ["range", "never"] && facts["plan"]?.enumerationCases == ["never"])
    #expect(facts["plan.range"]?.elementNames == ["low", "high"] && facts["plan.range.low"] != nil)
    #expect(facts["tags"]?.valueClassName == "Array<String>")
    let loaded = try model.managedObjectModel()
    #expect(
      loaded.entity(named: "Task")?.attribute(named: "plan")?.element(["range", "high"])?.type == .integer64)
  }

  @Test("indexes: fetch indexes, what the framework adds to them, and compound ones of older models")
  func indexes() throws {
    var maker = Maker()
    func index(_ name: String, _ elements: [(String, Bool)], _ more: [String: Maker.Value] = [:])
      -> Maker.Reference
    {
      let archived = elements.map { element in
        maker.object(
          "NSFetchIndexElementDescription", [],
          [
            "NSPropertyName": maker.text(element.0), "NSAscending": .boolean(element.1),
            "NSFetchIndexElementType": .integer(0),
          ])
      }
      return maker.object(
        "NSFetchIndexDescription", [],
        ["NSIndexName": maker.text(name), "NSIndexElements": maker.array(archived)].merging(more) { $1 })
    }
    let indexed = ["NSIsIndexed": Maker.Value.boolean(true)]
    let properties = [
      maker.attribute("marked", 200, indexed), maker.attribute("both", 200, indexed),
      maker.attribute("other", 200),
    ]
    let condition = try maker.comparison(maker.keyPath("other"), 2, maker.constantExpression(.integer(0)))
    let indexes = [
      index("marked", [("marked", true)]), index("both", [("both", true)]),
      index("byBoth", [("both", false)]),
      index("pair", [("both", true), ("other", false)]),
      index("part", [("other", true)], ["NSPartialIndexPredicate": .reference(condition)]),
    ]
    let pair = maker.texts(["both", "other"])
    let old = maker.texts(["other", "marked"])
    let compound = maker.array(
      [pair, old].compactMap { if case .reference(let tuple) = $0 { tuple } else { nil } })
    let entity = maker.entity(
      "E", properties, ["NSFetchIndexDescriptions": maker.array(indexes), "NSCompoundIndexes": compound])
    let model = try AppleModel(archive: maker.archive([entity]))
    #expect(model.notes.isEmpty)
    let read = model.declaration.entities[0]
    #expect(
      read.attributes.map { [$0.name, "\($0.isIndexed)"] } == [
        ["both", "false"], ["marked", "true"], ["other", "false"],
      ])
    let expected = [
      FetchIndex("byBoth", [FetchIndexElement("both", ascending: false)]),
      FetchIndex("pair", [FetchIndexElement("both"), FetchIndexElement("other", ascending: false)]),
      FetchIndex("part", [FetchIndexElement("other")], where: "other > 0"),
      FetchIndex("other_marked", on: "other", "marked"),
    ]
    // A compound index says no direction.
    #expect(read.fetchIndexes == expected)
  }

  @Test("validation predicates that the model has no place for are noted")
  func validation() throws {
    var maker = Maker()
    func limit(_ left: Maker.Reference, _ type: Int64, _ value: FoundationValue) throws -> Maker.Reference {
      try maker.comparison(left, type, maker.constantExpression(value))
    }
    let lengths = try [
      limit(maker.keyPath("length"), 3, .integer(3)), limit(maker.keyPath("length"), 1, .integer(50)),
    ]
    let text = [
      maker.compound(1, lengths), try limit(maker.selfObject(), 6, .string("[a-z]+")),
      try limit(maker.selfObject(), 99, .string("x")), try limit(maker.selfObject(), 6, .string("(")),
    ]
    let number = try [limit(maker.selfObject(), 3, .integer(0)), limit(maker.selfObject(), 2, .real(0.5))]
    let properties = [
      maker.attribute("name", 700, ["NSValidationPredicates": maker.array(text)]),
      maker.attribute(
        "share", 500,
        ["NSValidationPredicates": maker.array(number), "NSValidationWarnings": maker.texts(["too small"])]),
    ]
    let model = try AppleModel(archive: maker.archive([maker.entity("E", properties)]))
    let attributes = model.declaration.entities[0].attributes
    #expect(attributes[0].minValue == 3 && attributes[0].maxValue == 50)
    #expect(attributes[0].regularExpression == "[a-z]+")
    #expect(attributes[1].minValue == .double(0) && attributes[1].maxValue == nil)
    #expect(
      model.notes.map(\.description) == [
        "E.name: its validation predicate SELF CONTAINS \"x\" is left out",
        "E.name: its validation predicate SELF MATCHES \"(\" is left out",
        "E.share: its validation predicate SELF > 0.5 is left out",
        "E.share: the messages of its validation are left out",
      ])
  }

  @Test("derived attributes, fetched properties, templates, configurations and identifiers")
  func requests() throws {
    var maker = Maker()
    let derived = maker.attribute(
      "count", 300,
      [
        "NSDerivationExpression": .reference(maker.function("count:", [maker.keyPath("children")])),
        "NSIsReadOnly": .boolean(true),
      ], className: "NSDerivedAttributeDescription")
    let children = maker.relationship("children", to: "E", ["NSMaxCount": .integer(0)])
    let same = maker.comparison(maker.keyPath("n"), 4, maker.keyPath("n", of: maker.variable("FETCH_SOURCE")))
    let order = maker.object(
      "NSSortDescriptor", [], ["NSKey": maker.text("n"), "NSAscending": .boolean(false)])
    let entity = maker.entity("E", [])
    let request = maker.object(
      "NSFetchRequest", ["NSPersistentStoreRequest"],
      [
        "NSEntity": .reference(entity.1), "NSPredicate": .reference(same), "NSFetchLimit": .integer(5),
        "NSFetchRequestFlags": .integer(30), "NSBatchSize": .integer(20),
        "NSSortDescriptors": maker.array([order]),
        "NSFetchOffset": .integer(0),
      ])
    let fetched = maker.object(
      "NSFetchedPropertyDescription", ["NSPropertyDescription"],
      [
        "NSPropertyName": maker.text("alike"), "NSFetchRequest": .reference(request),
        "NSIsOptional": .boolean(true),
      ])
    maker.writer.set(
      maker.dictionary([derived, children, ("alike", fetched), maker.attribute("n", 200)]),
      forKey: "NSProperties",
      of: entity.1)
    let custom = try maker.comparison(
      maker.keyPath("n"), 11, maker.constantExpression(.null), ["NSSelectorName": maker.text("near:")])
    let template = maker.object(
      "NSFetchRequest", ["NSPersistentStoreRequest"],
      [
        "NSEntity": .reference(entity.1), "NSPredicate": .reference(custom),
        "NSFetchRequestFlags": .integer(31),
      ])
    let model = try AppleModel(
      archive: maker.archive(
        [entity],
        [
          "NSFetchRequestTemplates": maker.dictionary([("near", template)]),
          "NSConfigurations": maker.dictionary([
            ("Local", maker.object("NSSet", [], ["NS.objects": .references([entity.1])]))
          ]),
          "NSVersionIdentifiers": maker.texts(["2", ""]), "NSSurprise": .integer(1),
        ]))
    let read = model.declaration.entities[0]
    #expect(read.attributes[0].derivationExpression == "children.@count")
    #expect(read.fetchedProperties.map(\.name) == ["alike"])
    let fetchRequest = read.fetchedProperties[0].fetchRequest
    #expect(fetchRequest.entityName == "E" && fetchRequest.predicateString == "n == $FETCH_SOURCE.n")
    #expect(fetchRequest.fetchLimit == 5 && fetchRequest.extras == ["fetchBatchSize": "20"])
    #expect(
      model.declaration.configurations == ["Local": ["E"]] && model.declaration.versionIdentifiers == ["2"])
    #expect(model.declaration.fetchRequestTemplates.map(\.predicateString) == ["<near:>"])
    let notes = model.notes.map(\.description)
    #expect(notes.contains("E.alike: the order of its fetch request, by n descending, is left out"))
    #expect(notes.contains { $0.hasPrefix("near: its predicate is stored as text only") })
    #expect(notes.contains("near: the options 31 of its fetch request are not read"))
    #expect(notes.contains("its NSSurprise is not read") && notes.count == 4, "\(notes)")
    #expect(try model.managedObjectModel().entity(named: "E")?.attribute(named: "count")?.derivation != nil)
  }

  @Test("defaults that cannot be said, unknown types, classes and keys are noted")
  func notes() throws {
    var maker = Maker()
    let own = maker.object("Cover", [], ["text": maker.text("secret")])
    let properties = [
      maker.attribute("cover", 1800, ["NSDefaultValue": .reference(own)]),
      maker.attribute(
        "n", 100, ["NSDefaultValue": try maker.constant(.integer(70_000)), "NSFlagsKey": .integer(36)]),
      maker.attribute("odd", 4711, ["NSIsTransient": .boolean(true), "NSNovelty": .boolean(true)]),
      (
        "e",
        maker.object(
          "NSExpressionDescription", ["NSPropertyDescription"], ["NSPropertyName": maker.text("e")])
      ),
    ]
    let info = maker.dictionary([("list", try maker.writer.add(.array([])))])
    let model = try AppleModel(archive: maker.archive([maker.entity("E", properties, ["NSUserInfo": info])]))
    #expect(
      Set(model.notes.map(\.description)) == [
        "E.cover: its default is an object of the class Cover; it is left out",
        "E.n: its default is no integer16; it is left out", "E.n: its flags 32 are not read",
        "E.odd: its type 4711 is not known; it has no type", "E.odd: its NSNovelty is not read",
        "E.e: a property of the class NSExpressionDescription is left out",
        "E: the entry list of its user info is no text; it is left out",
      ])
  }
}
