import BenchKit
import CLibrary
import CLimit
import Foundation
import Strongroom
import StrongroomRecords

/// A book as a record.
struct RecordBook: Record {
  static var primaryKey: KeyPath<RecordBook, String> { \.isbn }
  var title: String
  var isbn: String
  var pages: Int64
  var price: Double
  var published: Date
  var inPrint: Bool
  var cover: Data
  var rating: Double?
  var author: Int64

  init(_ index: Int64, _ workload: Workload) {
    var data = lm_book()
    lm_make_book(index, workload.authors, workload.tags, &data)
    title = text(of: &data.title)
    isbn = text(of: &data.isbn)
    pages = data.pages
    price = data.price
    published = Date(timeIntervalSinceReferenceDate: data.published)
    inPrint = data.in_print != 0
    cover = withUnsafeBytes(of: &data.cover) { Data($0) }
    rating = data.rating < 0 ? nil : data.rating
    author = data.author + 1
  }

  func add(to sum: inout Checksum) {
    sum.add(title)
    sum.add(isbn)
    sum.add(pages)
    sum.add(price)
    sum.add(published.timeIntervalSinceReferenceDate)
    sum.add(inPrint ? 1 : 0 as Int64)
    cover.withUnsafeBytes { sum.add($0) }
    if let rating { sum.add(rating) } else { sum.add(-1 as Int64) }
    sum.add(author)
  }
}

/// Plain Codable values.
struct RecordsPath: Contestant {
  let name = "records"
  let workload: Workload

  func supports(_ phase: Phase) -> Bool { phase.isOfRecords }

  private func open(_ path: String, create: Bool = false) async throws -> RecordStore {
    var description = PersistentStoreDescription(
      type: SQLCipherStore.storeType, url: URL(fileURLWithPath: path))
    description.storeKey = try [UInt8](0..<32).withUnsafeBytes { try StoreKey(bytes: $0) }
    description.createsIfMissing = create
    // The limit records none; HistoryLoad measures it.
    description.tracksHistory = false
    return try await RecordStore(description, [RecordBook.self])
  }

  private func pushAll(_ store: RecordStore) throws {
    try store.push((0..<workload.books).lazy.map { RecordBook($0, workload) })
  }

  func makeStore(at path: String) async throws {
    let store = try await open(path, create: true)
    try pushAll(store)
    try store.close()
  }

  func run(_ phase: Phase, at path: String) async throws -> PhaseRun {
    let store = try await open(path, create: phase.makesStore)
    var (sum, seconds) = try timed { try perform(phase, store) }
    if phase.changesStore || phase.makesStore { sum = try fetchAll(store) }
    try store.close()
    return PhaseRun(seconds: seconds, checksum: sum)
  }

  private func perform(_ phase: Phase, _ store: RecordStore) throws -> UInt64 {
    switch phase {
    case .pushRecords:
      try pushAll(store)
      return 0
    case .singlePushes:
      for index in workload.books..<workload.books + workload.singleSaves {
        try store.push(RecordBook(index, workload))
      }
      return 0
    case .recordByKey:
      var sum = Checksum()
      for number in workload.randomBooks(seed: 6) {
        let digits = String(number - 1)
        let isbn = "978" + String(repeating: "0", count: 10 - digits.count) + digits
        try store.fetch(RecordBook.self, key: isbn)?.add(to: &sum)
      }
      return sum.value
    default: return try fetchAll(store)
    }
  }

  private func fetchAll(_ store: RecordStore) throws -> UInt64 {
    var sum = Checksum()
    for book in try store.fetch(RecordBook.self) { book.add(to: &sum) }
    return sum.value
  }
}
