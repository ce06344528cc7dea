import Foundation
import ObjectModel
import Testing

@testable import StrongroomData

@Suite("Classes of schemas made by hand")
struct SchemaBindingTests {
  private typealias Shelf = SchemaByHandTests.Classes.Shelf
  private typealias Drawer = SchemaByHandTests.Classes.Drawer
  private typealias Item = SchemaByHandTests.Classes.Item

  @Model final class Pebble {
    var weight = 1
    var colour = "grey"
    init() {}
  }

  enum First {
    @Model final class Twin {
      var left = 1
      var right = 2
      init() {}
    }
  }

  enum Second {
    @Model final class Twin {
      var right = 2
      var left = 1
      init() {}
    }
  }

  @Model final class Article {
    var title = ""
    var width = 0.0
    var height = 0.0
    var code = ""
    init() {}
  }

  private static func pebble(_ properties: [any SchemaProperty]) -> Schema.Entity {
    let entity = Schema.Entity("Pebble")
    entity.storedProperties = properties
    return entity
  }

  private static let colour = Schema.Attribute(name: "colour", valueType: String.self, defaultValue: "grey")
  private static let weight = Schema.Attribute(name: "weight", valueType: Int.self, defaultValue: 1)

  private static func inMemory(_ schema: Schema) throws -> ModelContext {
    ModelContext(
      try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
  }

  private static func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return ""
    } catch let error as SwiftDataError where error == .unknownSchema {
      return error.message
    } catch { return "another error: \(error)" }
  }

  @Test("A store of a schema made by hand has models, inverses and values, and classes open it as it is")
  func store() throws {
    let place = try Place()
    func open(_ schema: Schema) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: schema, configurations: ModelConfiguration(url: place.url, keyVault: place.vault)))
    }
    var context = try open(SchemaByHandTests.byHand())
    let drawer = Drawer(name: "socks")
    drawer.depth = 2.5
    drawer.place = 1
    drawer.size = SchemaByHandTests.Size(width: 7, height: 9)
    drawer.picture = Data([1, 2, 3])
    let item = Item()
    item.count = 11
    item.shelf = drawer
    context.insert(drawer)
    context.insert(Shelf(name: "books"))
    try context.save()
    #expect(drawer.items == [item] && drawer.modelContext === context)

    let text = try JSONEncoder().encode(SchemaByHandTests.byHand())
    let schemas = [
      Schema([Drawer.self]), try JSONDecoder().decode(Schema.self, from: text), SchemaByHandTests.byHand(),
      Schema(handMade: Schema([Drawer.self]).entities, version: .init(1, 0, 0)),
    ]
    let version = try Schema([Drawer.self]).managedObjectModel().versionHash
    for schema in schemas {
      #expect(try schema.managedObjectModel().versionHash == version)
      context = try open(schema)
      let shelves = try context.fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)]))
      #expect(shelves.map(\.name) == ["books", "socks"] && shelves.map(\.row) == [3, 3])
      let socks = try #require(shelves.last as? Drawer)
      #expect(socks.depth == 2.5 && socks.size == SchemaByHandTests.Size(width: 7, height: 9))
      #expect(socks.picture == Data([1, 2, 3]) && socks.items.map(\.count) == [11])
      #expect(socks.items.first?.shelf === socks && !(shelves.first is Drawer))
      let named = #Predicate<Item> { $0.shelf?.name == "socks" }
      #expect(try context.fetchCount(FetchDescriptor(predicate: named)) == 1)
    }
  }

  @Test("Constraints, indexes and delete rules of entities made by hand are in effect")
  func effects() throws {
    let context = try Self.inMemory(SchemaByHandTests.byHand())
    let (one, other) = (Shelf(name: "one"), Shelf(name: "one"))
    context.insert(one)
    try context.save()
    other.note = "again"
    other.place = 5
    context.insert(other)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Shelf>()).map(\.note) == ["again"])
    let shelf = try #require(context.fetch(FetchDescriptor<Shelf>()).first)
    shelf.items = [Item(), Item()]
    try context.save()
    context.delete(shelf)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Item>()) == 0)

    let place = try Place()
    let stored = ModelContext(
      try ModelContainer(
        for: SchemaByHandTests.byHand(),
        configurations: ModelConfiguration(url: place.url, keyVault: place.vault)))
    let sorted = FetchDescriptor<Shelf>(
      predicate: #Predicate { $0.row == 3 }, sortBy: [SortDescriptor(\.place)])
    #expect("\(try stored.queryPlan(for: sorted))".contains("byRow"))
  }

  @Test("Schema.Unique and Schema.Index among the properties are constraints and indexes")
  func constraintsAmongProperties() throws {
    let article = Schema.Entity(
      "Article", properties: Schema.Attribute(name: "title", valueType: String.self, defaultValue: ""),
      Schema.Unique<Article>([\.code]),
      Schema.Index<Article>(.binary([\.title]), .fullText([\.title]), .rtree([\.width, \.height])),
      Schema.Attribute(name: "width", valueType: Double.self, defaultValue: 0.0),
      Schema.Attribute(name: "height", valueType: Double.self, defaultValue: 0.0),
      Schema.Attribute(name: "code", valueType: String.self, defaultValue: ""))
    #expect(article.storedProperties.map(\.name) == ["title", "width", "height", "code"])
    #expect(article.uniquenessConstraints == [["code"]])
    #expect(article.indices == [["title"], ["title"], ["width", "height"]])
    article.indices = [["width", "height"], ["code"]]
    article.indices.append(["title"])
    let read = try JSONDecoder().decode(Schema.Entity.self, from: JSONEncoder().encode(article))
    #expect(read == article)
    let declared = try Schema(read).managedObjectModel().entity(named: "Article")?.fetchIndexes
    #expect(declared?.map(\.name) == ["byWidthAndHeightRange", "byCode", "byTitle"])
    article.storedProperties = article.storedProperties + [Schema.Index<Article>(.fullText([\.title]))]
    let place = try Place()
    let context = ModelContext(
      try ModelContainer(
        for: Schema(article), configurations: ModelConfiguration(url: place.url, keyVault: place.vault)))
    for code in ["a", "b", "b"] {
      let article = Article()
      article.title = "The second of \(code)"
      article.code = code
      context.insert(article)
      try context.save()
    }
    var search = FetchDescriptor<Article>()
    search.search = "second"
    #expect(try context.fetchCount(search) == 2)
    article.storedProperties.append(Schema.Index<Article>(.fullText([\.width])))
    #expect(Self.message { _ = try Schema(article).managedObjectModel() }.contains("width is in an index"))
  }

  @Test("A class is found by its name, whatever order its properties have")
  func found() throws {
    let context = try Self.inMemory(Schema(Self.pebble([Self.colour, Self.weight])))
    let pebble = Pebble()
    pebble.weight = 4
    pebble.colour = "red"
    context.insert(pebble)
    try context.save()
    let container = context.container
    let read = try ModelContext(container).fetch(
      FetchDescriptor<Pebble>(predicate: #Predicate { $0.colour == "red" }))
    #expect(read.map(\.weight) == [4])
    #expect(container.schema.entity(for: Pebble.self) != nil && container.schema.isHandMade)
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
  }

  @Test("A class that does not fit is named with the differences when it is used")
  func unfit() throws {
    let size = Schema.Attribute(name: "size", valueType: Int.self)
    let colour = Schema.Attribute(name: "colour", valueType: String?.self)
    let context = try Self.inMemory(Schema(Self.pebble([colour, size])))
    let refusal = Self.message { _ = try context.fetch(FetchDescriptor<Pebble>()) }
    #expect(refusal.contains("Pebble does not fit"))
    #expect(refusal.contains("the class has no property size"))
    #expect(refusal.contains("the entity has no property weight"))
    #expect(refusal.contains("Pebble.colour is optional in one"))
    let pebble = Pebble()
    context.insert(pebble)
    #expect(pebble.modelContext == nil && pebble.weight == 1)
    #expect(Self.message { try context.save() } == refusal)
    context.rollback()
    try context.save()
    let number = Schema.Attribute(name: "colour", valueType: Int.self)
    let other = try Self.inMemory(Schema(Self.pebble([number, Self.weight])))
    #expect(
      Self.message { _ = try other.fetchCount(FetchDescriptor<Pebble>()) }.contains("is of type String in"))
    #expect(Self.message { _ = try context.fetch(FetchDescriptor<Article>()) }.contains("no entity Article"))
    let items = Schema.Relationship()
    items.name = "shelf"
    items.valueType = [Pebble].self
    let item = Schema.Entity("Item", properties: items)
    let opening = Self.message { _ = try Self.inMemory(Schema(item, Self.pebble([Self.weight]))) }
    #expect(opening.contains("Pebble does not fit") && opening.contains("no property colour"))
  }

  @Test("Of two classes of one name, the listed one or the first used one is bound")
  func twins() throws {
    func twin() -> Schema.Entity {
      Schema.Entity(
        "Twin", properties: Schema.Attribute(name: "left", valueType: Int.self, defaultValue: 1),
        Schema.Attribute(name: "right", valueType: Int.self, defaultValue: 2))
    }
    let listed = try Self.inMemory(Schema(twin(), classes: [Second.Twin.self]))
    let second = Second.Twin()
    second.left = 8
    listed.insert(second)
    try listed.save()
    #expect(
      try ModelContext(listed.container).fetch(FetchDescriptor<Second.Twin>()).map(\.left) == [8])
    #expect(
      Self.message { _ = try listed.fetch(FetchDescriptor<First.Twin>()) }.contains("shows another class"))
    // Objects have their properties in the order of one of the classes.
    let open = try Self.inMemory(Schema(twin()))
    let refusals = [
      Self.message { _ = try open.fetch(FetchDescriptor<First.Twin>()) },
      Self.message { _ = try open.fetch(FetchDescriptor<Second.Twin>()) },
    ]
    #expect(refusals.filter(\.isEmpty).count == 1)
    #expect(refusals.contains { $0.contains("another order") || $0.contains("shows another class") })
    let schema = Schema(twin(), classes: [Second.Twin.self])
    let read = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(read == schema && read.types.count == 1 && read.hashValue == schema.hashValue)
  }

  @Test("An entity whose class the program does not have is named, and used by the engine only")
  func missingClass() throws {
    let shelf = try #require(SchemaByHandTests.byHand().entitiesByName["Shelf"])
    shelf.subentities.insert(Schema.Entity("Cabinet"))
    let schema = Schema(shelf, try #require(SchemaByHandTests.byHand().entitiesByName["Item"]))
    let context = try Self.inMemory(schema)
    let refusal = Self.message { _ = try context.fetch(FetchDescriptor<Shelf>()) }
    #expect(refusal.contains("subentity Cabinet is not known"))
    #expect(Self.message { _ = try context.fetch(FetchDescriptor<Item>()) }.contains("Cabinet"))
    let alone = try Self.inMemory(
      Schema(Schema.Entity("Nameless", properties: Schema.Attribute(name: "x", valueType: Int?.self))))
    let object = try alone.managedObjectContext.insert("Nameless")
    try object.setValue(AttributeValue.integer(4), forKey: "x")
    #expect(alone.insertedModelsArray.isEmpty && alone.hasChanges)
    try alone.save()
    #expect(
      Self.message { _ = try alone.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) }
        .contains("Nameless"))
  }

  @Test("Configurations with schemas made by hand make a container's schema together")
  func configurations() throws {
    let pebbles = ModelConfiguration(
      "pebbles", schema: Schema(Self.pebble([Self.weight, Self.colour])), isStoredInMemoryOnly: true)
    let articles = ModelConfiguration(
      "articles", schema: Schema([Article.self]), isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Schema(), configurations: pebbles, articles)
    let context = ModelContext(container)
    context.insert(Pebble())
    context.insert(Article())
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Article>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Pebble>()) == 1)
    #expect(Set(container.configurations.map(\.id)).count == 2)
    let other = ModelConfiguration("other", isStoredInMemoryOnly: true)
    container.configurations = [other]
    container.configurations.insert(pebbles)
    #expect(container.configurations == [other, pebbles])
    #expect(try context.fetchCount(FetchDescriptor<Pebble>()) == 1)
  }

  @Test("A configuration is identified by its URL")
  func identifiers() throws {
    let identifier: URL = ModelConfiguration("a b/ü", isStoredInMemoryOnly: true).id
    #expect(identifier.scheme == "memory")
    #expect(identifier != ModelConfiguration("a c", isStoredInMemoryOnly: true).id)
    let place = try Place()
    let id: ModelConfiguration.ID = ModelConfiguration(url: place.url).id
    #expect(id == place.url.standardizedFileURL)
  }

  @Test("A program's own store works with a schema made by hand")
  func ownStore() throws {
    let place = try Place()
    func open() throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(Self.pebble([Self.colour, Self.weight])),
          configurations: JSONStoreConfiguration(
            name: "pebbles", fileURL: place.url.appendingPathExtension("json"))))
    }
    let context = try open()
    let pebble = Pebble()
    pebble.weight = 12
    context.insert(pebble)
    try context.save()
    #expect(try open().fetch(FetchDescriptor<Pebble>()).map(\.weight) == [12])
    #expect(try open().fetchIdentifiers(FetchDescriptor<Pebble>()).count == 1)
  }
}
