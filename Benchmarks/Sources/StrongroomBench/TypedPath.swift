import BenchKit
import CLibrary
import CLimit
import Foundation
import Strongroom
import StrongroomData

/// Typed models in a `ModelContext`.
struct TypedPath: Contestant {
  let name = "typed"
  let workload: Workload
  let keys: InMemoryVault

  init(workload: Workload) {
    self.workload = workload
    keys = InMemoryVault()
  }

  func supports(_ phase: Phase) -> Bool {
    switch phase {
    // Rows without objects and groups are read through the engine; a configuration has no durability.
    case .bulkInsert, .singleSaves, .fetchFaults, .average: false
    default: !phase.isOfRecords
    }
  }

  private func open(_ path: String) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: URL(fileURLWithPath: path), keyVault: keys)
    // The limit records none; HistoryLoad measures it.
    configuration.storeDescriptionHandler = { $0.tracksHistory = false }
    return try ModelContainer(
      for: TypedBook.self, TypedAuthor.self, TypedTag.self, configurations: configuration)
  }

  func makeStore(at path: String) throws {
    let container = try open(path)
    try insertAll(ModelContext(container))
    try container.persistentContainer.close()
  }

  func run(_ phase: Phase, at path: String) throws -> PhaseRun {
    if phase == .open || phase == .reopen { return try opens(phase, path) }
    let container = try open(path)
    let context = ModelContext(container)
    context.autosaveEnabled = false
    var live: [TypedBook] = []
    if phase == .byIDHit || phase == .manyToManyLive { live = try context.fetch(FetchDescriptor()) }
    // What is made once a process is no part of a model's memory.
    if phase == .fetchAll { _ = try ModelContext(container).fetch(FetchDescriptor<TypedAuthor>()) }
    let before = executed(container.persistentContainer)
    let heap = heapBytes() - lm_memory_used()
    var (sum, seconds) = try timed { try perform(phase, context, &live) }
    let statements = executed(container.persistentContainer) - before
    let bytes =
      phase == .fetchAll ? Double(heapBytes() - lm_memory_used() - heap) / Double(live.count) : nil
    if phase.changesStore || phase.makesStore { sum = try state(container) }
    withExtendedLifetime(live) {}
    try container.persistentContainer.close()
    return PhaseRun(seconds: seconds, checksum: sum, statements: statements, bytesPerObject: bytes)
  }

  private func opens(_ phase: Phase, _ path: String) throws -> PhaseRun {
    var sum: UInt64 = 1
    var statements = 0
    let (_, seconds) = try timed {
      for _ in 0..<workload.opens {
        let container = try open(path)
        if phase == .reopen {
          var descriptor = FetchDescriptor<TypedBook>()
          descriptor.fetchLimit = 20
          sum = checksum(try ModelContext(container).fetch(descriptor))
        }
        statements = executed(container.persistentContainer)
        try container.persistentContainer.close()
      }
    }
    return PhaseRun(seconds: seconds, checksum: sum, statements: statements)
  }

  private func perform(
    _ phase: Phase, _ context: ModelContext, _ live: inout [TypedBook]
  ) throws -> UInt64 {
    switch phase {
    case .saveAll:
      try insertAll(context)
      return 0
    case .singleSavesFull:
      try singleSaves(context)
      return 0
    case .fetchAll:
      live = try context.fetch(FetchDescriptor())
      return checksum(live)
    case .byID, .byIDHit:
      var sum = Checksum()
      let engine = context.managedObjectContext
      for id in try identifiers("TypedBook", workload.randomBooks(seed: 5), engine) {
        let book: TypedBook = context.model(for: try engine.existingObject(with: id))!
        sum.add(Int64(bitPattern: checksum([book])))
      }
      return sum.value
    case .byISBN: return try byISBN(context)
    case .filtered: return try filtered(context)
    case .toMany: return try ofOwners("TypedAuthor", workload.authors, context, \TypedAuthor.books)
    case .manyToMany, .manyToManyLive:
      return try ofOwners("TypedTag", workload.tags, context, \TypedTag.books)
    case .toManyPrefetched:
      var descriptor = FetchDescriptor<TypedAuthor>()
      descriptor.relationshipKeyPathsForPrefetching = [\.books]
      var sum = Checksum()
      for author in try context.fetch(descriptor) { sum.add(Int64(bitPattern: checksum(author.books))) }
      return sum.value
    case .change:
      for book in try books(workload.randomBooks(seed: 10), context) { book.pages = Int64(LM_NEW_PAGES) }
      try context.save()
      return 0
    case .delete:
      for book in try books(workload.randomBooks(seed: 11), context) { context.delete(book) }
      try context.save()
      return 0
    default: return 0
    }
  }

  /// Books of numbers, as faults that fire together.
  private func books(_ numbers: [Int64], _ context: ModelContext) throws -> [TypedBook] {
    let engine = context.managedObjectContext
    return try engine.objects(with: identifiers("TypedBook", numbers, engine)).map { context.model(for: $0)! }
  }

  private func byISBN(_ context: ModelContext) throws -> UInt64 {
    var sum = Checksum()
    for number in workload.randomBooks(seed: 6) {
      let isbn = "978" + String(repeating: "0", count: 10 - String(number - 1).count) + String(number - 1)
      let books = try context.fetch(FetchDescriptor<TypedBook>(predicate: #Predicate { $0.isbn == isbn }))
      sum.add(Int64(bitPattern: checksum(books)))
    }
    return sum.value
  }

  private func filtered(_ context: ModelContext) throws -> UInt64 {
    var sum = Checksum()
    for index in 0..<workload.filters {
      let country = "C" + (index % 20 < 10 ? "0" : "") + String(index % 20)
      let pages = 100 + index % 300
      var descriptor = FetchDescriptor<TypedBook>(
        predicate: #Predicate { $0.author?.country == country && $0.pages > pages },
        sortBy: [SortDescriptor(\.published)])
      descriptor.fetchLimit = 100
      sum.add(Int64(bitPattern: checksum(try context.fetch(descriptor))))
    }
    return sum.value
  }

  private func ofOwners<Owner: PersistentModel>(
    _ entity: String, _ count: Int64, _ context: ModelContext, _ books: KeyPath<Owner, [TypedBook]>
  ) throws -> UInt64 {
    var sum = Checksum()
    let engine = context.managedObjectContext
    for id in try identifiers(entity, Array(1...count), engine) {
      let owner: Owner = context.model(for: try engine.object(with: id))!
      sum.add(Int64(bitPattern: checksum(owner[keyPath: books])))
    }
    return sum.value
  }

  private func insertAll(_ context: ModelContext) throws {
    var authors: [TypedAuthor] = []
    for index in 0..<workload.authors {
      var data = lm_author()
      lm_make_author(index, &data)
      let author = TypedAuthor(name: text(of: &data.name), born: data.born, country: text(of: &data.country))
      context.insert(author)
      authors.append(author)
    }
    let tags = (0..<workload.tags).map { TypedTag(name: tagName($0)) }
    for tag in tags { context.insert(tag) }
    for index in 0..<workload.books { insertBook(index, authors, tags, context) }
    try context.save()
  }

  private func insertBook(
    _ index: Int64, _ authors: [TypedAuthor], _ tags: [TypedTag], _ context: ModelContext
  ) {
    var data = lm_book()
    lm_make_book(index, workload.authors, workload.tags, &data)
    let book = TypedBook(
      title: text(of: &data.title), isbn: text(of: &data.isbn), pages: data.pages, price: data.price,
      published: Date(timeIntervalSinceReferenceDate: data.published), inPrint: data.in_print != 0,
      cover: withUnsafeBytes(of: &data.cover) { Data($0) }, rating: data.rating < 0 ? nil : data.rating)
    context.insert(book)
    book.author = authors[Int(data.author)]
    book.tags = [tags[Int(data.tags.0)], tags[Int(data.tags.1)], tags[Int(data.tags.2)]]
  }

  private func singleSaves(_ context: ModelContext) throws {
    let authors = try context.fetch(FetchDescriptor<TypedAuthor>())
    let tags = try context.fetch(FetchDescriptor<TypedTag>())
    for index in workload.books..<workload.books + workload.singleSaves {
      insertBook(index, authors, tags, context)
      try context.save()
    }
  }

  private func checksum(_ books: [TypedBook]) -> UInt64 {
    var sum = Checksum()
    for book in books { book.add(to: &sum) }
    return sum.value
  }

  /// The checksum of all that is stored, as the limit makes it.
  private func state(_ container: ModelContainer) throws -> UInt64 {
    let books = try ModelContext(container).fetch(FetchDescriptor<TypedBook>())
    var sum = Checksum(continuing: checksum(books))
    var count: Int64 = 0
    var total: Int64 = 0
    for book in books {
      for tag in book.tags {
        count += 1
        total += book.number * 31 + tag.managedObject.objectID.reference
      }
    }
    sum.add(count)
    sum.add(total)
    return sum.value
  }
}

extension TypedBook {
  fileprivate var number: Int64 { managedObject.objectID.reference }

  fileprivate func add(to sum: inout Checksum) {
    sum.add(number)
    sum.add(title)
    sum.add(isbn)
    sum.add(pages)
    sum.add(price)
    sum.add(published.timeIntervalSinceReferenceDate)
    sum.add(inPrint ? 1 : 0 as Int64)
    cover.withUnsafeBytes { sum.add($0) }
    if let rating { sum.add(rating) } else { sum.add(-1 as Int64) }
    // As the managed objects' path: no author is made, since none is looked at.
    sum.add(managedObject.reference(Book.Indexes.author))
  }
}
