// Over Models/Library.swift: a large graph with the names that clash most.

import Foundation
import SwiftData
import Testing

final class LibraryTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [Branch.self, Entity.self]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private let today = Date(timeIntervalSinceReferenceDate: 805_000_000)

  private func lamp(in context: ModelContext) throws -> Book {
    try #require(try context.first(where: #Predicate<Book> { $0.title == "The Lamp" }))
  }

  private func makeBook() -> Book {
    let book = Book(title: "The Lamp")
    book.order = 2
    let cover = Image(data: Data([9, 8, 7]))
    cover.colors = [Color(hash: "#ff0"), Color(hash: "#00f")]
    book.cover = cover
    let author = Author(name: "M. Vos")
    author.portrait = Image(data: Data([1]))
    book.authors = [author, Author(name: "A. Berg")]
    let chapter = Chapter(number: 1)
    chapter.pages = [Page(number: 1), Page(number: 2)]
    book.chapters = [chapter]
    book.characters = [Character(name: "Ilse"), Character(name: "The keeper")]
    book.language = Language(code: "nl")
    book.series = Series(name: "Lights")
    book.category = Category(name: "Sea", parent: Category(name: "Novel"))
    book.tags = [Tag("storm"), Tag("coast")]
    return book
  }

  /// One of everything, all of it within reach of the branch.
  private func makeBranch() -> Branch {
    let branch = Branch(name: "North")
    branch.address = Address(street: "Quay 1", zip: "1000")
    let room = Room(name: "Reading room")
    room.tables = [Table(index: 1), Table(index: 2)]
    let stack = Stack(key: "A")
    room.stacks = [stack]
    branch.rooms = [room]
    let section = Section(from: "La", to: "Le")
    stack.sections = [section]
    let item = Item(barcode: "0001")
    section.items = [item]
    let property = Property(key: "spine")
    property.value = Value("worn")
    item.properties = [property]

    let edition = Edition(version: 3)
    edition.format = Format(name: "Paperback")
    edition.publisher = Publisher(name: "Lantern")
    item.edition = edition
    let book = makeBook()
    edition.book = book

    let member = Member(id: 7, name: "Noor")
    branch.members = [member]
    let loan = Loan(since: today)
    loan.item = item
    member.loans = [loan]
    member.orders = [Order(book: book)]
    let review = Review(stars: 4)
    review.book = book
    review.comments = [Comment(text: "Agreed"), Comment(text: "No")]
    member.reviews = [review]
    let query = Query(text: "lamp")
    query.results = [Result(rank: 1, book: book)]
    member.queries = [query]
    let group = Group(name: "Tuesday readers")
    member.group = group
    let collection = Collection(name: "Shore")
    book.collections = [collection]
    group.collections = [collection]

    branch.events = [Event(name: "Reading", date: today)]
    branch.tasks = [Task(title: "Mend spines"), Task(title: "Order lamps")]
    let set = Catalog.Set(name: "Chess")
    set.predicates = [Catalog.Predicate(rule: "Castle once"), Catalog.Predicate(rule: "White begins")]
    set.dictionaries = [Catalog.Dictionary(words: ["rook": "toren"])]
    branch.games = [set]
    return branch
  }

  private func fill() throws {
    try store.session(types) { (context: ModelContext) throws in
      context.insert(makeBranch())
      let entity = Entity(type: "key")
      entity.context = "value"
      context.insert(entity)
      try context.save()
    }
  }

  @Test func theSchemaIsFoundFromTheRoot() throws {
    let schema = Schema([Branch.self])
    #expect(schema.entities.count == 37)
    #expect(
      Set(["Book", "Collection", "Set", "Predicate", "Dictionary", "Result"]).isSubset(
        of: schema.entitiesByName.keys))
    #expect(schema.entitiesByName["Entity"] == nil)
    #expect(Schema(types).entities.count == 38)
    let order = try #require(schema.entitiesByName["Order"])
    #expect(order.attributesByName["select"] != nil)
    #expect(Set(order.relationshipsByName.keys) == ["member", "book"])
    #expect(schema.entitiesByName["Member"]?.relationshipsByName["orders"]?.inverseName == "member")
  }

  @Test func insertingTheRootInsertsTheGraph() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let branch = try #require(try context.fetch(FetchDescriptor<Branch>()).first)
      #expect(branch.address?.branch === branch)
      #expect(branch.games.first?.predicates.count == 2)
      #expect(branch.games.first?.dictionaries.first?.words == ["rook": "toren"])
      #expect(branch.games.first?.predicates.allSatisfy(\.default) == true)
      let item = try #require(branch.rooms.first?.stacks.first?.sections.first?.items.first)
      #expect(item.section?.stack?.room?.branch === branch)
      #expect(item.properties.first?.value?.text == "worn")
      #expect(item.properties.first?.value?.property?.item === item)
      #expect(item.edition?.publisher?.editions.map(\.version) == [3])
      #expect(item.loans.first?.member?.name == "Noor")
      let entity = try #require(try context.fetch(FetchDescriptor<Entity>()).first)
      #expect(entity.type == "key")
      #expect(entity.context == "value")
    }
  }

  @Test func theBookHangsTogether() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let book = try lamp(in: context)
      #expect(book.order == 2)
      #expect(book.authors.names == ["A. Berg", "M. Vos"])
      #expect(book.authors.allSatisfy { $0.books.first === book })
      #expect(Set(book.chapters.flatMap(\.pages).map(\.number)) == [1, 2])
      #expect(Set(book.characters.map(\.name)) == ["Ilse", "The keeper"])
      #expect(book.cover?.data == Data([9, 8, 7]))
      #expect(Set(book.cover?.colors.map(\.hash) ?? []) == ["#ff0", "#00f"])
      #expect(book.language?.code == "nl")
      #expect(book.series?.books.first === book)
      #expect(book.category?.parent?.name == "Novel")
      #expect(book.category?.parent?.subcategories.first === book.category)
      #expect(Set(book.tags.map(\.name)) == ["coast", "storm"])
      #expect(book.collections.names == ["Shore"])
      #expect(book.collections.first?.group?.members.first?.id == 7)
      #expect(book.editions.first?.format?.name == "Paperback")
      #expect(book.reviews.first?.comments.count == 2)
      let result = try #require(try context.fetch(FetchDescriptor<Result>()).first)
      #expect(result.book === book)
      #expect(result.query?.member?.name == "Noor")
    }
  }

  @Test func predicatesReachFar() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let code = "nl"
      let books = FetchDescriptor<Book>(
        predicate: #Predicate { book in
          book.language?.code == code && book.tags.contains { $0.name == "storm" } && book.order > 1
        })
      #expect(try context.fetch(books).map(\.title) == ["The Lamp"])
      let loans = FetchDescriptor<Loan>(
        predicate: #Predicate { $0.until == nil && $0.item?.edition?.book?.title == "The Lamp" })
      #expect(try context.fetchCount(loans) == 1)
      let wishes = FetchDescriptor<Order>(predicate: #Predicate { $0.select && $0.member?.id == 7 })
      #expect(try context.fetch(wishes).first?.book?.title == "The Lamp")
      let rules = FetchDescriptor<Catalog.Predicate>(
        predicate: #Predicate { $0.default && $0.set?.name == "Chess" }, sortBy: [SortDescriptor(\.rule)])
      #expect(try context.fetch(rules).map(\.rule) == ["Castle once", "White begins"])
      let tasks = FetchDescriptor<Task>(sortBy: [SortDescriptor(\.priority), SortDescriptor(\.title)])
      #expect(try context.fetch(tasks).map(\.title) == ["Mend spines", "Order lamps"])
      let tables = FetchDescriptor<Table>(sortBy: [SortDescriptor(\.index, order: .reverse)])
      #expect(try context.fetch(tables).map(\.index) == [2, 1])
    }
  }

  @Test func changesOfPlainRelationshipsLast() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let book = try lamp(in: context)
      let other = Book(title: "The Bell")
      book.series?.books.append(other)
      other.authors = book.authors.filter { $0.name == "A. Berg" }
      book.authors.removeAll { $0.name == "A. Berg" }
      book.category = book.category?.parent
      let member = try #require(try context.fetch(FetchDescriptor<Member>()).first)
      member.loans.first?.until = today + 86_400
      member.group = nil
      #expect(other.modelContext === context)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let book = try lamp(in: context)
      #expect(Set(book.series?.books.map(\.title) ?? []) == ["The Lamp", "The Bell"])
      #expect(book.authors.names == ["M. Vos"])
      let berg = try #require(try context.first(where: #Predicate<Author> { $0.name == "A. Berg" }))
      #expect(berg.books.map(\.title) == ["The Bell"])
      #expect(book.category?.name == "Novel")
      let group = try #require(try context.fetch(FetchDescriptor<Group>()).first)
      #expect(group.members.isEmpty)
      #expect(group.collections.names == ["Shore"])
      let loan = try #require(try context.fetch(FetchDescriptor<Loan>()).first)
      #expect(loan.until == today + 86_400)
    }
  }

  @Test func deletingCascadesOnlyWhereAsked() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let room = try #require(try context.fetch(FetchDescriptor<Room>()).first)
      context.delete(room)
      let author = try #require(try context.first(where: #Predicate<Author> { $0.name == "M. Vos" }))
      context.delete(author)
      let language = try #require(try context.fetch(FetchDescriptor<Language>()).first)
      context.delete(language)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      #expect(try context.count(of: Table.self) == 0)
      #expect(try context.count(of: Stack.self) == 0)
      let section = try #require(try context.fetch(FetchDescriptor<Section>()).first)
      #expect(section.stack == nil)
      #expect(section.items.map(\.barcode) == ["0001"])
      #expect(try context.fetch(FetchDescriptor<Image>()).map(\.data) == [Data([9, 8, 7])])
      let book = try lamp(in: context)
      #expect(book.authors.names == ["A. Berg"])
      #expect(book.language == nil)
      let branch = try #require(try context.fetch(FetchDescriptor<Branch>()).first)
      #expect(branch.rooms.isEmpty)
    }
  }
}
