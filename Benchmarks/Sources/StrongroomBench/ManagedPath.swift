import BenchKit
import CLibrary
import CLimit
import Foundation
import Strongroom

/// Managed objects with identity, faults and change tracking.
struct ManagedPath: Contestant {
  let name = "managed"
  let workload: Workload
  let model: ManagedObjectModel
  /// The limit records none.
  var tracksHistory = false

  func supports(_ phase: Phase) -> Bool { phase != .bulkInsert && !phase.isOfRecords }

  func makeStore(at path: String) async throws {
    let container = try await openLibrary(path, model, create: true)
    try insertAll(container.newContext())
    try container.close()
  }

  func run(_ phase: Phase, at path: String) async throws -> PhaseRun {
    if phase == .open || phase == .reopen { return try await opens(phase, path) }
    let container = try await openLibrary(
      path, model, create: phase.makesStore, durability: phase == .singleSavesFull ? .full : .normal,
      tracksHistory: tracksHistory)
    let result = try time(phase, container)
    try container.close()
    return result
  }

  private func opens(_ phase: Phase, _ path: String) async throws -> PhaseRun {
    var sum: UInt64 = 1
    var statements = 0
    let (_, seconds) = try await timed {
      for _ in 0..<workload.opens {
        let container = try await openLibrary(path, model)
        if phase == .reopen {
          sum = try read(container.newContext().fetch(FetchRequest("Book", fetchLimit: 20), as: Book.self))
        }
        statements = executed(container)
        try container.close()
      }
    }
    return PhaseRun(seconds: seconds, checksum: sum, statements: statements)
  }

  private func time(_ phase: Phase, _ container: PersistentContainer) throws -> PhaseRun {
    let context = container.newContext()
    var live: [Book] = []
    if phase == .byIDHit || phase == .manyToManyLive {
      live = try context.fetch(FetchRequest("Book"), as: Book.self)
    }
    if phase == .fetchAll { try warm(container) }
    let before = executed(container)
    let heap = heapBytes() - lm_memory_used()
    var (sum, seconds) = try timed { try perform(phase, context, &live) }
    let statements = executed(container) - before
    var bytes: Double?
    if phase == .fetchAll || phase == .fetchFaults {
      bytes = Double(heapBytes() - lm_memory_used() - heap) / Double(live.count)
    }
    if phase.changesStore || phase.makesStore { sum = try state(container) }
    withExtendedLifetime(live) {}
    return PhaseRun(seconds: seconds, checksum: sum, statements: statements, bytesPerObject: bytes)
  }

  /// What is made once per process, and no part of an object's memory.
  private func warm(_ container: PersistentContainer) throws {
    _ = try container.newContext().fetch(FetchRequest("Author"))
  }

  private func perform(
    _ phase: Phase, _ context: ManagedObjectContext, _ live: inout [Book]
  ) throws -> UInt64 {
    switch phase {
    case .saveAll:
      try insertAll(context)
      return 0
    case .singleSaves, .singleSavesFull:
      try singleSaves(context)
      return 0
    case .fetchAll:
      live = try context.fetch(FetchRequest("Book"), as: Book.self)
      return try read(live)
    case .fetchFaults:
      var request = FetchRequest("Book")
      request.returnsObjectsAsFaults = true
      live = try context.fetch(request, as: Book.self)
      var sum = Checksum()
      for book in live { sum.add(book.objectID.reference) }
      return sum.value
    case .byID, .byIDHit: return try byID(context)
    case .byISBN: return try byISBN(context)
    case .filtered: return try filtered(context)
    case .toMany: return try toMany("Author", "books", workload.authors, context)
    case .manyToMany, .manyToManyLive: return try toMany("Tag", "books", workload.tags, context)
    case .toManyPrefetched:
      var request = FetchRequest("Author")
      request.relationshipKeyPathsForPrefetching = ["books"]
      var sum = Checksum()
      for author in try context.fetch(request, as: Author.self) {
        sum.add(Int64(bitPattern: try read(author.objects("books"))))
      }
      return sum.value
    case .change:
      let ids = try bookIDs(workload.randomBooks(seed: 10), context)
      for book in try context.objects(with: ids) as! [Book] { book.pages = Int64(LM_NEW_PAGES) }
      try context.save()
      return 0
    case .delete:
      let ids = try bookIDs(workload.randomBooks(seed: 11), context)
      for book in try context.objects(with: ids) { try context.delete(book) }
      try context.save()
      return 0
    case .average: return try average(context)
    default: return 0
    }
  }

  private func bookIDs(_ numbers: [Int64], _ context: ManagedObjectContext) throws -> [ManagedObjectID] {
    try identifiers("Book", numbers, context)
  }

  func byID(_ context: ManagedObjectContext) throws -> UInt64 {
    var sum = Checksum()
    for id in try bookIDs(workload.randomBooks(seed: 5), context) {
      var own = Checksum()
      (try context.existingObject(with: id) as! Book).add(to: &own)
      sum.add(Int64(bitPattern: own.value))
    }
    return sum.value
  }

  private func byISBN(_ context: ManagedObjectContext) throws -> UInt64 {
    var sum = Checksum()
    for number in workload.randomBooks(seed: 6) {
      let isbn = "978" + String(repeating: "0", count: 10 - String(number - 1).count) + String(number - 1)
      let books = try context.fetch(Book.self, where: .compare("isbn", .equal, .string(isbn)))
      sum.add(Int64(bitPattern: try read(books)))
    }
    return sum.value
  }

  private func filtered(_ context: ManagedObjectContext) throws -> UInt64 {
    var sum = Checksum()
    for index in 0..<workload.filters {
      let books = try context.fetch(filteredRequest(index), as: Book.self)
      sum.add(Int64(bitPattern: try read(books)))
    }
    return sum.value
  }

  private func toMany(
    _ entity: String, _ relationship: String, _ count: Int64, _ context: ManagedObjectContext
  ) throws -> UInt64 {
    var sum = Checksum()
    for id in try identifiers(entity, Array(1...count), context) {
      let owner = try context.object(with: id)
      sum.add(Int64(bitPattern: try read(owner.objects(relationship))))
    }
    return sum.value
  }

  private func average(_ context: ManagedObjectContext) throws -> UInt64 {
    var sum = Checksum()
    var request = FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("author.country")])
    request.propertiesToFetch = [
      ExpressionDescription("author.country"), ExpressionDescription("price", aggregate: .average),
      ExpressionDescription("", aggregate: .count, as: "books"),
    ]
    request.propertiesToGroupBy = ["author.country"]
    for _ in 0..<workload.averages {
      for row in try context.fetchDictionaries(request) {
        if case .string(let country) = row["author.country"] { sum.add(country) }
        if case .integer(let count) = row["books"] { sum.add(count) }
      }
    }
    return sum.value
  }

  func insertAll(_ context: ManagedObjectContext) throws {
    var authors: [Author] = []
    for index in 0..<workload.authors {
      var data = lm_author()
      lm_make_author(index, &data)
      let author = try context.insert(Author.self)
      author.name = text(of: &data.name)
      author.born = data.born
      author.country = text(of: &data.country)
      authors.append(author)
    }
    var tags: [Tag] = []
    for index in 0..<workload.tags {
      let tag = try context.insert(Tag.self)
      tag.name = tagName(index)
      tags.append(tag)
    }
    for index in 0..<workload.books { try insertBook(index, authors, tags, context) }
    try context.save()
  }

  private func insertBook(
    _ index: Int64, _ authors: [Author], _ tags: [Tag], _ context: ManagedObjectContext
  ) throws {
    var data = lm_book()
    lm_make_book(index, workload.authors, workload.tags, &data)
    let book = try context.insert(Book.self)
    book.title = text(of: &data.title)
    book.isbn = text(of: &data.isbn)
    book.pages = data.pages
    book.price = data.price
    book.published = Date(timeIntervalSinceReferenceDate: data.published)
    book.inPrint = data.in_print != 0
    book.cover = withUnsafeBytes(of: &data.cover) { Data($0) }
    book.rating = data.rating < 0 ? nil : data.rating
    book.author = authors[Int(data.author)]
    book.add(tags[Int(data.tags.0)], to: Book.Indexes.tags)
    book.add(tags[Int(data.tags.1)], to: Book.Indexes.tags)
    book.add(tags[Int(data.tags.2)], to: Book.Indexes.tags)
  }

  func singleSaves(_ context: ManagedObjectContext) throws {
    let authors = try context.fetch(FetchRequest("Author"), as: Author.self)
    let tags = try context.fetch(FetchRequest("Tag"), as: Tag.self)
    for index in workload.books..<workload.books + workload.singleSaves {
      try insertBook(index, authors, tags, context)
      try context.save()
    }
  }
}
