import BenchKit
import CLibrary
import CLimitPlain
import Foundation
import GRDB

/// A book as a Codable record of GRDB, by its ISBN.
struct CodableBook: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "book"
  // As the limit stores one, in one statement.
  static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .replace)

  enum CodingKeys: String, CodingKey {
    case id, title, isbn, pages, price, published, cover, rating, author
    case inPrint = "in_print"
  }

  var id: Int64
  var title: String
  var isbn: String
  var pages: Int64
  var price: Double
  var published: Double
  var inPrint: Bool
  var cover: Data
  var rating: Double?
  var author: Int64

  init(_ index: Int64, _ workload: Workload) {
    var data = lm_book()
    lm_make_book(index, workload.authors, workload.tags, &data)
    let book = Book(number: index, &data)
    (id, title, isbn, pages, price) = (book.id, book.title, book.isbn, book.pages, book.price)
    (published, inPrint, cover) = (book.published, book.inPrint, book.cover)
    (rating, author) = (book.rating, book.author)
  }

  func add(to sum: inout Checksum) {
    sum.add(title)
    sum.add(isbn)
    sum.add(pages)
    sum.add(price)
    sum.add(published)
    sum.add(inPrint ? 1 : 0 as Int64)
    cover.withUnsafeBytes { sum.add($0) }
    if let rating { sum.add(rating) } else { sum.add(-1 as Int64) }
    sum.add(author)
  }
}

extension GRDBPath {
  /// A phase of records: what was read, or 0.
  func performRecords(_ phase: Phase, _ queue: DatabaseQueue) throws -> UInt64 {
    var sum = Checksum()
    switch phase {
    case .pushRecords:
      try queue.write { database in
        try database.execute(
          sql: "DROP INDEX book_isbn; DROP INDEX book_author; CREATE UNIQUE INDEX book_isbn ON book(isbn)")
        for index in 0..<workload.books { try CodableBook(index, workload).insert(database) }
      }
      return 0
    case .singlePushes:
      try queue.writeWithoutTransaction { try $0.execute(sql: "DROP INDEX book_author") }
      for index in workload.books..<workload.books + workload.singleSaves {
        try queue.write { try CodableBook(index, workload).insert($0) }
      }
      return 0
    case .recordByKey:
      try queue.read { database in
        for number in workload.randomBooks(seed: 6) {
          let digits = String(number - 1)
          let isbn = "978" + String(repeating: "0", count: 10 - digits.count) + digits
          try CodableBook.filter(Book.Columns.isbn == isbn).fetchOne(database)?.add(to: &sum)
        }
      }
    default:
      let books = try queue.read { try CodableBook.order(Book.Columns.id).fetchAll($0) }
      for book in books { book.add(to: &sum) }
    }
    return sum.value
  }
}
