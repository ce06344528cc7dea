import Foundation
import GRDB

/// The library as GRDB's records, with the associations its manual recommends.
struct Author: FetchableRecord, PersistableRecord {
  static let databaseTableName = "author"
  static let books = hasMany(Book.self, using: ForeignKey(["author"]))

  var id: Int64
  var name: String
  var born: Int64
  var country: String

  init(id: Int64, name: String, born: Int64, country: String) {
    self.id = id
    self.name = name
    self.born = born
    self.country = country
  }

  init(row: Row) {
    id = row["id"]
    name = row["name"]
    born = row["born"]
    country = row["country"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["born"] = born
    container["country"] = country
  }
}

struct Tag: FetchableRecord, PersistableRecord {
  static let databaseTableName = "tag"

  var id: Int64
  var name: String

  init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }

  init(row: Row) {
    id = row["id"]
    name = row["name"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
  }
}

struct Link: FetchableRecord, PersistableRecord {
  static let databaseTableName = "book_tag"

  var book: Int64
  var tag: Int64

  init(book: Int64, tag: Int64) {
    self.book = book
    self.tag = tag
  }

  init(row: Row) {
    book = row["book"]
    tag = row["tag"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["book"] = book
    container["tag"] = tag
  }
}

struct Book: FetchableRecord, PersistableRecord {
  static let databaseTableName = "book"
  static let writer = belongsTo(Author.self, using: ForeignKey(["author"]))
  static let links = hasMany(Link.self, using: ForeignKey(["book"]))

  enum Columns {
    static let id = Column("id")
    static let isbn = Column("isbn")
    static let pages = Column("pages")
    static let published = Column("published")
    static let author = Column("author")
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

  init(row: Row) {
    id = row["id"]
    title = row["title"]
    isbn = row["isbn"]
    pages = row["pages"]
    price = row["price"]
    published = row["published"]
    inPrint = row["in_print"]
    cover = row["cover"]
    rating = row["rating"]
    author = row["author"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["title"] = title
    container["isbn"] = isbn
    container["pages"] = pages
    container["price"] = price
    container["published"] = published
    container["in_print"] = inPrint
    container["cover"] = cover
    container["rating"] = rating
    container["author"] = author
  }
}

/// An author with its books, as a prefetching request answers it.
struct AuthorInfo: FetchableRecord {
  let author: Author
  let books: [Book]

  init(row: Row) throws {
    author = Author(row: row)
    books = row.prefetchedRows["books"]?.map { Book(row: $0) } ?? []
  }
}
