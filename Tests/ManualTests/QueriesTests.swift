import Foundation
import Strongroom
import StrongroomData
import Testing

enum Queries {
  enum Genre: String, Codable, CaseIterable {
    case novel, poetry
  }

  @Model final class Author {
    var name: String
    @Relationship(inverse: \Book.author) var books: [Book] = []

    init(name: String) { self.name = name }
  }

  @Model final class Book {
    #Index<Book>(.fullText([\.title, \.subtitle]))

    var title: String
    var pages: Int
    var genre: Genre
    var subtitle: String?
    var tags: [String] = []
    var author: Author?
    var isLong: Bool { pages > 400 }

    init(_ title: String, pages: Int, genre: Genre = .novel, author: Author? = nil) {
      self.title = title
      self.pages = pages
      self.genre = genre
      self.author = author
    }
  }
}

extension Queries {
  @Suite("The manual: queries")
  struct Tests {
    private struct Shelf {
      let place: Place
      let context: ModelContext
      let jane: Author
    }

    private func shelf() throws -> Shelf {
      let place = try Place()
      let context = ModelContext(try place.container(for: Book.self))
      let (jane, anne) = (Author(name: "Jane Austen"), Author(name: "Anne Brontë"))
      let emma = Book("Emma", pages: 474, author: jane)
      let agnes = Book("Agnes Grey", pages: 250, author: anne)
      agnes.subtitle = "A tale"
      let poems = Book("Poems 10", pages: 60, genre: .poetry, author: anne)
      poems.tags = ["sea", "wind"]
      for book in [emma, agnes, poems, Book("Persuasion", pages: 249, author: jane)] {
        context.insert(book)
      }
      context.insert(Book("poems 9", pages: 70, genre: .poetry))
      try context.save()
      return Shelf(place: place, context: context, jane: jane)
    }

    @Test("Conditions")
    func conditions() throws {
      let shelf = try shelf()
      let (context, jane) = (shelf.context, shelf.jane)
      let least = 200
      let genre = Genre.novel
      let genres = [Genre.novel, .poetry]
      let authorID = jane.persistentModelID
      let conditions: [Predicate<Book>] = [
        #Predicate { $0.pages >= least && $0.genre == genre },
        #Predicate { genres.contains($0.genre) },
        #Predicate { $0.title.localizedStandardContains("EMM") },
        #Predicate { $0.title.starts(with: "P") || $0.subtitle != nil },
        #Predicate { $0.subtitle?.contains("tale") == true },
        #Predicate { $0.author?.name == "Jane Austen" },
        #Predicate { $0.author?.persistentModelID == authorID },
        #Predicate { $0.tags.contains("sea") },
      ]
      let counts = try conditions.map { try context.fetchCount(FetchDescriptor(predicate: $0)) }
      #expect(counts == [3, 5, 1, 3, 1, 2, 2, 1])
      let all = try context.fetch(FetchDescriptor<Book>())
      let evaluated = try conditions.map { condition in try all.filter { try condition.evaluate($0) }.count }
      #expect(counts == evaluated)
      let prolific = #Predicate<Author> { author in
        author.books.filter { $0.pages > 200 }.count >= 2
      }
      let writers = try context.fetch(FetchDescriptor(predicate: prolific)).map(\.name)
      #expect(writers == ["Jane Austen"])
      do {
        _ = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.isLong }))
      } catch SwiftDataError.unsupportedPredicate {
        // isLong is computed: there is no such column
      }
      #expect(throws: SwiftDataError.unsupportedPredicate) {
        try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.isLong }))
      }
    }

    @Test("What the table of conditions lists means in the store what it means in Swift")
    func forms() throws {
      let shelf = try shelf()
      let context = shelf.context
      let books: [Predicate<Book>] = [
        #Predicate { (200...300).contains($0.pages) },
        #Predicate { ($0.subtitle ?? "none") == "none" },
        #Predicate { ($0.pages > 300 ? 1 : 2) == 1 },
        #Predicate { $0.pages * 2 + 1 > 500 },
        #Predicate { !($0.pages < 100) },
        #Predicate { $0.tags.isEmpty },
        #Predicate { $0.title.count > 9 },
        #Predicate { $0.author == nil },
        #Predicate { $0.genre.rawValue == "poetry" },
        #Predicate { $0.author?.books.contains { $0.pages < 100 } == true },
      ]
      let authors: [Predicate<Author>] = [
        #Predicate { $0.books.contains { $0.pages < 100 } },
        #Predicate { $0.books.allSatisfy { $0.pages > 100 } },
        #Predicate { $0.books.isEmpty },
        #Predicate { $0.books.count == 2 },
      ]
      let allBooks = try context.fetch(FetchDescriptor<Book>())
      for (number, condition) in books.enumerated() {
        let expected = try allBooks.filter { try condition.evaluate($0) }
        let found = try context.fetch(FetchDescriptor(predicate: condition))
        #expect(Set(found) == Set(expected), "condition \(number) on books")
        #expect(!expected.isEmpty && expected.count < allBooks.count, "condition \(number) on books")
      }
      let allAuthors = try context.fetch(FetchDescriptor<Author>())
      for (number, condition) in authors.enumerated() {
        let expected = try allAuthors.filter { try condition.evaluate($0) }
        let found = try context.fetch(FetchDescriptor(predicate: condition))
        #expect(Set(found) == Set(expected), "condition \(number) on authors")
      }
    }

    @Test("Orders")
    func orders() throws {
      let shelf = try shelf()
      let context = shelf.context
      let byName = FetchDescriptor<Book>(sortBy: [
        SortDescriptor(\.author?.name), SortDescriptor(\.pages, order: .reverse),
      ])
      let titles = try context.fetch(byName).map(\.title)
      #expect(titles == ["poems 9", "Agnes Grey", "Poems 10", "Emma", "Persuasion"])
      let plain = try context.fetch(
        FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title, comparator: .lexical)]))
      let localized = try context.fetch(
        FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title, comparator: .localizedStandard)]))
      #expect(plain.map(\.title) == ["Agnes Grey", "Emma", "Persuasion", "Poems 10", "poems 9"])
      #expect(localized.map(\.title) == ["Agnes Grey", "Emma", "Persuasion", "poems 9", "Poems 10"])
      #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
        try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.tags.count)]))
      }
      let order = SortDescriptor(\Book.title, comparator: LocalizedComparator.localized, order: .reverse)
      #expect(try context.fetch(FetchDescriptor(sortBy: [order])).last?.title == "Agnes Grey")
    }

    @Test("Pages, parts and counts")
    func pages() throws {
      let shelf = try shelf()
      let context = shelf.context
      var page = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
      page.fetchLimit = 2
      page.fetchOffset = 1
      page.propertiesToFetch = [\.title, \.pages]
      page.relationshipKeyPathsForPrefetching = [\.author]
      page.includePendingChanges = false
      let books = try context.fetch(page)
      #expect(books.map(\.title) == ["Emma", "Persuasion"] && books[0].author?.name == "Jane Austen")
      let number = try context.fetchCount(FetchDescriptor<Book>())
      let identifiers = try context.fetchIdentifiers(FetchDescriptor<Book>())
      #expect(number == 5 && Set(identifiers).count == 5 && identifiers == identifiers.sorted())
      #expect(identifiers.allSatisfy { $0.entityName == "Book" && $0.storeIdentifier != nil })
      #expect(try context.fetchIdentifiers(page, batchSize: 1).count == 2)
    }

    @Test("Many models, a batch at a time")
    func batches() throws {
      let shelf = try shelf()
      let context = shelf.context
      var saved = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
      saved.includePendingChanges = false
      let batches = try context.fetch(saved, batchSize: 2)
      let first = batches.first?.title
      var total = 0
      try context.enumerate(FetchDescriptor<Book>(), batchSize: 2) { book in
        total += book.pages
      }
      #expect(batches.count == 5 && first == "Agnes Grey" && total == 1103)
      #expect(batches.startIndex == 0 && batches.endIndex == 5)
      try context.enumerate(FetchDescriptor<Book>(), allowEscapingMutations: true) { book in
        book.pages += 1
      }
      try context.save()
      #expect(try context.fetch(FetchDescriptor<Book>()).reduce(0) { $0 + $1.pages } == 1108)
      context.insert(Book("New", pages: 1))
      #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
        try context.fetch(FetchDescriptor<Book>(), batchSize: 2)
      }
      context.rollback()
      #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
        try context.enumerate(FetchDescriptor<Book>(), batchSize: 2) { $0.pages += 1 }
      }
    }

    @Test("Deleting by a condition")
    func deleting() throws {
      let shelf = try shelf()
      let context = shelf.context
      try context.delete(model: Book.self, where: #Predicate { $0.pages < 100 })
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Book>()) == 3)
      #expect(try context.fetchCount(FetchDescriptor<Author>()) == 2)
    }

    @Test("By identity")
    func identity() throws {
      let shelf = try shelf()
      let (context, jane) = (shelf.context, shelf.jane)
      let data = try JSONEncoder().encode(jane.persistentModelID)
      let identifier = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
      let same = context.model(for: identifier) as? Author
      let held: Author? = context.registeredModel(for: identifier)
      #expect(same === jane && held === jane && identifier == jane.persistentModelID)
      #expect(identifier.id == jane.persistentModelID.id && !identifier.isTemporary)
      let absent: Book? = context.registeredModel(for: identifier)
      #expect(absent == nil)
      let made = try PersistentIdentifier.identifier(
        for: try #require(identifier.storeIdentifier), entityName: "Author", primaryKey: 1)
      #expect(context.model(for: made) is Author)
    }

    @Test("Conditions from parts")
    func parts() throws {
      let shelf = try shelf()
      let context = shelf.context
      func both(_ one: Predicate<Book>, _ other: Predicate<Book>) -> Predicate<Book> {
        #Predicate { one[$0] && other[$0] }
      }
      let (isNovelWanted, novel) = (true, Genre.novel)
      let name: String? = "Jane Austen"
      var filter = #Predicate<Book> { $0.pages > 100 }
      if isNovelWanted { filter = both(filter, #Predicate { $0.genre == novel }) }
      if let name { filter = both(filter, #Predicate { $0.author?.name == name }) }
      let filtered = try context.fetch(FetchDescriptor(predicate: filter))
      #expect(Set(filtered.map(\.title)) == ["Emma", "Persuasion"])
    }

    @Test("Words, sums and groups")
    func words() throws {
      let shelf = try shelf()
      let context = shelf.context
      var search = FetchDescriptor<Book>()
      search.search = "pers* OR \"agnes grey\""
      let found = try context.fetch(search).map(\.title)
      let marked = TextSearch("persuasion").snippet(of: "Persuasion")  // [Persuasion]
      #expect(Set(found) == ["Persuasion", "Agnes Grey"] && marked == "[Persuasion]")
      let rows = try context.fetch(
        FetchDescriptor<Book>(), columns: .value(\Book.author?.name), .count(), .sum(\.pages))
      let lines = rows.map { author, books, pages in "\(author ?? "nobody"): \(books) of \(pages) pages" }
      #expect(
        lines == [
          "nobody: 1 of 70 pages", "Anne Brontë: 2 of 310 pages", "Jane Austen: 2 of 723 pages",
        ])
      let longest = try context.fetch(
        FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages, order: .reverse)]),
        columns: .value(\.title), .value(\.pages))
      #expect(longest.first?.0 == "Emma" && longest.first?.1 == 474)
    }

    @Test("The engine beneath")
    func beneath() throws {
      let shelf = try shelf()
      let (context, jane) = (shelf.context, shelf.jane)
      let engine = context.managedObjectContext
      let count = try engine.count(
        for: FetchRequest("Book", where: FetchPredicate(format: "pages > %d", 300)))
      let object = jane.managedObject
      let again = context.model(for: object, as: Author.self)
      let stores = context.container.persistentContainer.persistentStoreCoordinator.persistentStores
      #expect(count == 1 && again === jane && stores.count == 1)
    }

    @Test("Live results")
    @MainActor func live() throws {
      let shelf = try shelf()
      let context = shelf.context
      var changes = 0
      let live = try ResultsObserver(
        filterBy: #Predicate<Book> { $0.pages > 300 }, sortBy: [SortDescriptor(\.title)],
        modelContext: context)
      live.onChange = { changes += 1 }
      context.insert(Book("Middlemarch", pages: 880))
      context.processPendingChanges()
      let shown = live.results.map(\.title)
      #expect(shown == ["Emma", "Middlemarch"] && live.failure == nil && changes == 1)
      try context.save()
      let container = context.container
      var list: [String] = []
      live.filterBy = nil
      live.sortBy = [SortDescriptor(\.pages, order: .reverse)]
      let longest = live.results.first?.title
      let byAuthor = try ResultsObserver(
        sortBy: [SortDescriptor<Book>(\.title)], sectionBy: \.author?.name, modelContainer: container)
      if let sections = byAuthor.sections {
        list = sections.map { "\($0.title): \($0.map(\.title).joined(separator: ", "))" }
      }
      let hers = byAuthor.sections?[sectionTitle: "Jane Austen"]?.count
      #expect(longest == "Middlemarch" && list.first == ": Middlemarch, poems 9" && hers == 2)
    }
  }
}
