import AppleModel
import Foundation
import KeyedArchive
import ObjectModel
import ObjectQuery
import Testing

@Suite("Models written as archives")
struct AppleModelWriterTests {
  private static func library() throws -> ManagedObjectModel {
    var price = Attribute("price", .decimal, default: .decimal(Decimal(9.5)), minValue: .decimal(0))
    price.versionHashModifier = "2"
    var cover = Attribute("cover", .binary)
    cover.allowsExternalBinaryDataStorage = true
    cover.preservesValueInHistoryOnDeletion = true
    var color = Attribute("color", .transformable)
    color.valueTransformerName = "ColorTransformer"
    color.attributeValueClassName = "Color"
    var count = Attribute("bookCount", .integer64)
    count.derivationExpression = "books.@count"
    count.extras = ["derived": "YES"]
    var folded = Attribute("folded", .string)
    folded.derivationExpression = "canonical:(name)"
    folded.extras = ["derived": "YES"]
    var alike = FetchedProperty(
      "alike",
      FetchRequestTemplate(
        "fetchedPropertyFetchRequest", entityName: "Book", predicate: "title == $FETCH_SOURCE.name"))
    alike.userInfo = ["a": "b"]
    var author = Entity("Author", parent: "Person", className: "Library.Author") {
      count
      Relationship(
        "books", toMany: "Book", inverse: "author", ordered: true, minCount: 1, maxCount: 9,
        deleteRule: .cascade)
      alike
    }
    author.relationships[0].inverseEntityName = "Book"
    var book = Entity("Book", renamingIdentifier: "Volume") {
      Attribute("author_note", .composite, composite: "BookAuthor_note")
      color
      cover
      Attribute("isRead", .boolean, optional: false, default: false, indexed: true)
      price
      Attribute("published", .date, default: .date(Date(timeIntervalSinceReferenceDate: 3)))
      Attribute("shown", .undefined, transient: true)
      Attribute(
        "title", .string, minValue: 1, maxValue: 80, regularExpression: "[^ ].*", renamingIdentifier: "name",
        userInfo: ["k": "v"])
      Relationship("author", to: "Author", inverse: "books", optional: false, deleteRule: .deny)
      FetchIndex("byTitle", [FetchIndexElement("title", ascending: false), FetchIndexElement("price")])
      FetchIndex("cheap", [FetchIndexElement("price")], where: "price < 3 AND isRead == TRUE")
      UniquenessConstraint("title", "author")
    }
    book.relationships[0].inverseEntityName = "Author"
    book.userInfo = ["x": "y"]
    book.versionHashModifier = "7"
    let person = Entity("Person", abstract: true) {
      folded
      Attribute("name", .string)
    }
    let note = Composite(
      "BookAuthor_note",
      [
        Attribute("text", .string, default: "none"),
        Attribute("span", .composite, composite: "BookAuthor_noteSpan"),
      ])
    let span = Composite("BookAuthor_noteSpan", [Attribute("to", .integer32), Attribute("from", .integer32)])
    return try ManagedObjectModel(
      ModelDeclaration(
        entities: [author, book, person], composites: [note, span],
        configurations: ["Local": ["Author", "Person"]],
        fetchRequestTemplates: [
          FetchRequestTemplate("Cheap", entityName: "Book", predicate: "price < $limit", limit: 10)
        ], versionIdentifiers: ["3"]))
  }

  @Test("a model is read back as it was")
  func roundTrip() throws {
    let model = try Self.library()
    let written = try AppleModelWriter(model)
    #expect(written.notes.isEmpty)
    let read = try AppleModel(archive: written.archive)
    #expect(read.notes.isEmpty)
    let (archived, original) = (read.declaration, model.declaration)
    for (left, right) in zip(archived.entities, original.entities) { #expect(left == right) }
    #expect(archived.composites == original.composites)
    #expect(archived.fetchRequestTemplates == original.fetchRequestTemplates)
    #expect(archived == original)
    #expect(try read.managedObjectModel().versionHash == model.versionHash)
    #expect(read.facts.attributes["Book"]?["author_note.span"]?.elementNames == ["to", "from"])
    #expect(try AppleModel(modelCache: written.modelCache()).declaration == original)
  }

  @Test("entities repeat what they inherit, and both ends of a relationship refer to each other")
  func layout() throws {
    let root = try KeyedArchive(AppleModelWriter(Self.library()).archive).root.object
    let entries = try #require(root?["NSEntities"].object?.entries)
    let entities = Dictionary(entries.compactMap { entry in entry.key.text.map { ($0, entry.value.object) } })
    { $1 }
    let author = try #require(entities["Author"] ?? nil)
    func property(_ entity: ArchivedObject, _ name: String) -> ArchivedObject? {
      entity["NSProperties"].object?.entries?.first { $0.key.text == name }?.value.object
    }
    #expect(property(author, "name")?["NSEntity"].object == author)
    #expect(property(author, "books")?["_P"].integer == 0x4F3)
    #expect(property(author, "bookCount")?.className == "NSDerivedAttributeDescription")
    let book = try #require(entities["Book"] ?? nil)
    #expect(property(author, "books")?["NSInverseRelationship"].object == property(book, "author"))
    #expect(property(book, "title")?["_P"].integer == 0x83 && property(book, "shown")?["_P"].integer == 0xFB)
    #expect(
      author["NSSuperentity"].object?["NSIsAbstract"].flag == true
        && author["NSManagedObjectModel"].object == root)
    #expect(book["NSClassNameForEntity"].text == "NSManagedObject")
  }

  @Test("what an archive has no place for is noted")
  func notes() throws {
    let model = try ManagedObjectModel(
      ModelDeclaration(
        entities: [
          Entity("A") {
            Attribute("text", .string)
            FetchIndex.fullText("words", on: "text")
          }
        ],
        fetchRequestTemplates: [
          FetchRequestTemplate("found", entityName: "A", predicate: "text SEARCH \"x\""),
          FetchRequestTemplate("kind", entityName: "A", predicate: "SELF ISKINDOF A"),
        ]))
    let written = try AppleModelWriter(model)
    #expect(
      Set(written.notes.map(\.description)) == [
        "A.words: an index of words or of an expression has no place in an archive",
        "found: the predicate text SEARCH \"x\" cannot be archived; it is left out",
        "kind: the predicate SELF ISKINDOF A cannot be archived; it is left out",
      ])
    #expect(
      try AppleModel(archive: written.archive).declaration.fetchRequestTemplates.map(\.predicateString) == [
        nil, nil,
      ])
  }

  @Test("predicates are archived and read back as the same format text")
  func predicates() throws {
    let texts = [
      "a == 1", "a != nil", "name CONTAINS[cd] \"x\"", "name BEGINSWITH \"x\"", "name ENDSWITH[c] \"x\"",
      "name LIKE \"*x?\"", "name MATCHES \"[a-z]+\"", "a BETWEEN {1, 2}", "a IN {1, 2, 3}",
      "ANY tags.name == \"x\"",
      "ALL tags.n > 3", "NOT (a == 1 OR b == 2)", "a == 1 AND (b == 2 OR c == 3)", "TRUEPREDICATE",
      "SUBQUERY(books, $b, $b.pages > 9).@count > 1", "a + b * 2 > 3", "TERNARY(a == 1, b, c) == 2",
      "chapters[FIRST].title == \"x\"", "chapters[2] == nil", "$v.name == SELF.#first", "n == -5",
      "a == b.@sum.c",
      "date < CAST(5, \"NSDate\")", "id == CAST(\"6BA7B810-9DAD-11D1-80B4-00C04FD430C8\", \"NSUUID\")",
      "uppercase(name) == \"X\"", "count(books) == 1", "modulus(a, 2) == 0", "now() > date",
    ]
    for text in texts {
      let predicate = try FetchPredicate(format: text)
      var writer = KeyedArchiveWriter()
      let root = try ArchivedPredicate(predicate).add(to: &writer)
      let read = try ArchivedPredicate(KeyedArchive(writer.data(root: root)).root)
      #expect(try read == ArchivedPredicate(predicate))
      #expect(try FetchPredicate(format: read.formatText) == predicate, "\(text) became \(read.formatText)")
    }
    #expect(throws: KeyedArchiveError.self) { try ArchivedPredicate(FetchPredicate(format: "round(a) == 1")) }
  }

  @Test("expressions of mapping models are archived and read back equal")
  func expressions() throws {
    let source = ArchivedExpression.variable("source")
    let all: [ArchivedExpression] = [
      .keyPath(source, "a.b"), .constant(.boolean(true)), .constant(.null), .keyPath(.selfObject, "name"),
      .function(.variable("entityPolicy"), "make:", [.keyPath(source, "x")]),
      .setOperation(.minus, .keyPath(.selfObject, "a"), .list([.constant(.integer(1))])),
      .fetchRequest(source, .keyPath(.variable("manager"), "sourceContext"), false),
    ]
    for expression in all { #expect(try ArchivedExpression(archive: expression.archive()) == expression) }
    #expect(throws: KeyedArchiveError.self) { try ArchivedExpression.unknown("NSBlockExpression").archive() }
  }
}
