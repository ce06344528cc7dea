import CLibrary
import Foundation
import GRDB

extension GRDBPath {
  func insertAll(_ database: Database) throws {
    try insertOthers(database)
    for index in 0..<workload.books { try insertBook(index, database) }
  }

  private func insertOthers(_ database: Database) throws {
    for index in 0..<workload.authors {
      var data = lm_author()
      lm_make_author(index, &data)
      try Author(
        id: index + 1, name: text(of: &data.name), born: data.born, country: text(of: &data.country)
      ).insert(database)
    }
    for index in 0..<workload.tags {
      var name = [CChar](repeating: 0, count: 24)
      lm_make_tag(index, &name)
      try Tag(id: index + 1, name: name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) })
        .insert(database)
    }
  }

  func insertBook(_ index: Int64, _ database: Database) throws {
    var data = lm_book()
    lm_make_book(index, workload.authors, workload.tags, &data)
    try Book(number: index, &data).insert(database)
    for tag in [data.tags.0, data.tags.1, data.tags.2] {
      try Link(book: index + 1, tag: tag + 1).insert(database)
    }
  }

  /// GRDB's fastest way: one prepared statement, its arguments set without checks, the indexes made
  /// last.
  func bulkInsert(_ database: Database) throws {
    let indexes = try String.fetchAll(
      database, sql: "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    let names = try String.fetchAll(
      database, sql: "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    for name in names { try database.execute(sql: "DROP INDEX \(name)") }
    try insertOthers(database)
    let book = try database.makeStatement(sql: "INSERT INTO book VALUES (?,?,?,?,?,?,?,?,?,?)")
    let link = try database.makeStatement(sql: "INSERT INTO book_tag VALUES (?,?)")
    for index in 0..<workload.books {
      var data = lm_book()
      lm_make_book(index, workload.authors, workload.tags, &data)
      let own = Book(number: index, &data)
      book.setUncheckedArguments([
        own.id, own.title, own.isbn, own.pages, own.price, own.published, own.inPrint, own.cover, own.rating,
        own.author,
      ])
      try book.execute()
      for tag in [data.tags.0, data.tags.1, data.tags.2] {
        link.setUncheckedArguments([index + 1, tag + 1])
        try link.execute()
      }
    }
    for sql in indexes { try database.execute(sql: sql) }
  }
}

extension Book {
  init(number index: Int64, _ data: inout lm_book) {
    id = index + 1
    title = text(of: &data.title)
    isbn = text(of: &data.isbn)
    pages = data.pages
    price = data.price
    published = data.published
    inPrint = data.in_print != 0
    cover = withUnsafeBytes(of: &data.cover) { Data($0) }
    rating = data.rating < 0 ? nil : data.rating
    author = data.author + 1
  }
}
