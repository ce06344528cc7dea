import BenchKit
import CLibrary
import CLimit
import Foundation
import Strongroom

/// A book as a plain value.
struct BookRow {
  var id: Int64
  var title: String
  var isbn: String
  var pages: Int64
  var price: Double
  var published: Double
  var inPrint: Bool
  var cover: [UInt8]
  var rating: Double?
  var author: Int64

  /// From the columns of `BulkPath.columns`.
  init(_ row: RowCursor) {
    id = row.integer(0)
    title = row.string(1)
    isbn = row.string(2)
    pages = row.integer(3)
    price = row.double(4)
    published = row.double(5)
    inPrint = row.boolean(6)
    cover = row.byteArray(7)
    rating = row.isNull(8) ? nil : row.double(8)
    author = row.integer(9)
  }

  func add(to sum: inout Checksum) { withUnsafePointer(to: self) { Self.add($0, to: &sum) } }

  // Through a pointer, since a copy of the row would count all its references up and down.
  static func add(_ row: UnsafePointer<BookRow>, to sum: inout Checksum) {
    sum.add(row.pointee.id)
    sum.add(row.pointee.title)
    sum.add(row.pointee.isbn)
    sum.add(row.pointee.pages)
    sum.add(row.pointee.price)
    sum.add(row.pointee.published)
    sum.add(row.pointee.inPrint ? 1 : 0 as Int64)
    row.pointee.cover.withUnsafeBytes { sum.add($0) }
    if let rating = row.pointee.rating { sum.add(rating) } else { sum.add(-1 as Int64) }
    sum.add(row.pointee.author)
  }
}

/// Batches, structs and columns: no objects.
struct BulkPath: Contestant {
  let name = "bulk"
  let workload: Workload
  let model: ManagedObjectModel

  static let columns = [
    ExpressionDescription("", as: "id"), ExpressionDescription("title"), ExpressionDescription("isbn"),
    ExpressionDescription("pages"),
    ExpressionDescription("price"), ExpressionDescription("published"), ExpressionDescription("inPrint"),
    ExpressionDescription("cover"),
    ExpressionDescription("rating"), ExpressionDescription("author"),
  ]

  func supports(_ phase: Phase) -> Bool {
    switch phase {
    case .fetchAll, .filtered, .toManyPrefetched, .manyToMany, .change, .delete, .bulkInsert: true
    default: false
    }
  }

  func makeStore(at path: String) async throws {
    let container = try await openLibrary(path, model, create: true)
    try insertAll(container.newContext())
    try container.close()
  }

  func run(_ phase: Phase, at path: String) async throws -> PhaseRun {
    let container = try await openLibrary(path, model, create: phase.makesStore)
    let context = container.newContext()
    let before = executed(container)
    var live: [BookRow] = []
    let heap = heapBytes() - lm_memory_used()
    var (sum, seconds) = try timed { try perform(phase, context, &live) }
    let statements = executed(container) - before
    let bytes =
      phase == .fetchAll ? Double(heapBytes() - lm_memory_used() - heap) / Double(live.count) : nil
    if phase.changesStore || phase.makesStore { sum = try state(container) }
    withExtendedLifetime(live) {}
    try container.close()
    return PhaseRun(seconds: seconds, checksum: sum, statements: statements, bytesPerObject: bytes)
  }

  private func perform(
    _ phase: Phase, _ context: ManagedObjectContext, _ live: inout [BookRow]
  ) throws -> UInt64 {
    switch phase {
    case .bulkInsert:
      try insertAll(context)
      return 0
    case .fetchAll:
      live = try context.fetchRows(request(FetchRequest("Book"))) { BookRow($0) }
      var sum = Checksum()
      live.withUnsafeBufferPointer { rows in
        guard var row = rows.baseAddress else { return }
        for _ in rows.indices {
          BookRow.add(row, to: &sum)
          row += 1
        }
      }
      return sum.value
    case .filtered:
      var sum = Checksum()
      for index in 0..<workload.filters {
        var own = Checksum()
        for book in try context.fetchRows(request(filteredRequest(index)), { BookRow($0) }) {
          book.add(to: &own)
        }
        sum.add(Int64(bitPattern: own.value))
      }
      return sum.value
    case .toManyPrefetched: return try grouped(context)
    case .manyToMany: return try manyToMany(context)
    case .change:
      try context.batchUpdate(picked(10), set: ["pages": .integer(Int64(LM_NEW_PAGES))])
      return 0
    case .delete:
      try context.batchDelete(picked(11))
      return 0
    default: return 0
    }
  }

  private func request(_ request: FetchRequest) -> FetchRequest {
    var request = request
    request.propertiesToFetch = Self.columns
    return request
  }

  private func picked(_ seed: UInt64) -> FetchRequest {
    let list = workload.randomBooks(seed: seed).map { FetchExpression.value(.reference($0)) }
    return FetchRequest("Book", where: .comparison(FetchComparison(.selfObject, .in, .list(list))))
  }

  /// All books as structs on their way past, summed up by author.
  private func grouped(_ context: ManagedObjectContext) throws -> UInt64 {
    var sums = Array(repeating: Checksum(), count: Int(workload.authors) + 1)
    try context.enumerateRows(request(FetchRequest("Book"))) { row in
      let book = BookRow(row)
      book.add(to: &sums[Int(book.author)])
      return true
    }
    var sum = Checksum()
    for own in sums.dropFirst() { sum.add(Int64(bitPattern: own.value)) }
    return sum.value
  }

  /// The books of each tag as structs on their way past.
  private func manyToMany(_ context: ManagedObjectContext) throws -> UInt64 {
    var sum = Checksum()
    for tag in 1...workload.tags {
      let has = FetchComparison(.path("tags"), .equal, .value(.reference(tag)), modifier: .any)
      var own = Checksum()
      try context.enumerateRows(request(FetchRequest("Book", where: .comparison(has)))) { row in
        BookRow(row).add(to: &own)
        return true
      }
      sum.add(Int64(bitPattern: own.value))
    }
    return sum.value
  }

  func insertAll(_ context: ManagedObjectContext) throws {
    var author = lm_author()
    try context.batchInsert(into: "Author", of: 0..<workload.authors) { row, index in
      lm_make_author(index, &author)
      set(row, Author.Indexes.name, &author.name)
      row.set(Author.Indexes.born, integer: author.born)
      set(row, Author.Indexes.country, &author.country)
    }
    try context.batchInsert(into: "Tag", of: 0..<workload.tags) { row, index in
      row.set(Tag.Indexes.name, string: tagName(index))
    }
    var book = lm_book()
    try context.batchInsert(into: "Book", of: 0..<workload.books) { row, index in
      lm_make_book(index, workload.authors, workload.tags, &book)
      set(row, Book.Indexes.title, &book.title)
      set(row, Book.Indexes.isbn, &book.isbn)
      row.set(Book.Indexes.pages, integer: book.pages)
      row.set(Book.Indexes.price, double: book.price)
      row.set(Book.Indexes.published, double: book.published)
      row.set(Book.Indexes.inPrint, boolean: book.in_print != 0)
      withUnsafeBytes(of: &book.cover) { row.set(Book.Indexes.cover, bytes: $0) }
      if book.rating >= 0 { row.set(Book.Indexes.rating, double: book.rating) }
      row.set(Book.Indexes.author, integer: book.author + 1)
      try row.set(Book.Indexes.tags, destinations: [book.tags.0 + 1, book.tags.1 + 1, book.tags.2 + 1])
    }
  }

  fileprivate func set<T>(_ row: BatchRow, _ index: PropertyIndex, _ array: inout T) {
    withUnsafeBytes(of: &array) { bytes in
      let length = strnlen(bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
      row.set(index, bytes: UnsafeRawBufferPointer(rebasing: bytes[0..<length]))
    }
  }
}

/// Columns in flat arrays.
struct ColumnsPath: Contestant {
  let name = "columns"
  let workload: Workload
  let model: ManagedObjectModel

  func supports(_ phase: Phase) -> Bool { phase == .fetchAll }

  func makeStore(at path: String) async throws {
    try await BulkPath(workload: workload, model: model).makeStore(at: path)
  }

  func run(_ phase: Phase, at path: String) async throws -> PhaseRun {
    let container = try await openLibrary(path, model)
    let context = container.newContext()
    var request = FetchRequest("Book")
    request.propertiesToFetch = BulkPath.columns
    let before = executed(container)
    let heap = heapBytes() - lm_memory_used()
    let ((columns, sum), seconds) = try timed {
      let columns = try context.fetchColumns(request)
      return (columns, checksum(columns))
    }
    let bytes = Double(heapBytes() - lm_memory_used() - heap) / Double(columns.count)
    let statements = executed(container) - before
    try container.close()
    return PhaseRun(seconds: seconds, checksum: sum, statements: statements, bytesPerObject: bytes)
  }

  private func checksum(_ columns: FetchedColumns) -> UInt64 {
    let title = columns.bytes("title")!
    let isbn = columns.bytes("isbn")!
    let cover = columns.bytes("cover")!
    let id = columns.integers("id")!
    let pages = columns.integers("pages")!
    let price = columns.doubles("price")!
    let published = columns.doubles("published")!
    let inPrint = columns.integers("inPrint")!
    let rating = columns.doubles("rating")!
    let author = columns.integers("author")!
    var sum = Checksum()
    for row in 0..<columns.count {
      sum.add(id[row])
      title.withBytes(row) { sum.add($0) }
      isbn.withBytes(row) { sum.add($0) }
      sum.add(pages[row])
      sum.add(price[row])
      sum.add(published[row])
      sum.add(inPrint[row])
      cover.withBytes(row) { sum.add($0) }
      if columns.isNull(8, row) { sum.add(-1 as Int64) } else { sum.add(rating[row]) }
      sum.add(author[row])
    }
    return sum.value
  }
}
