import Strongroom

/// The library's classes, with the accessors that generated code has.
final class Book: ManagedObject {
  enum Indexes {
    static let title = PropertyIndex(index: 0, field: 0)
    static let isbn = PropertyIndex(index: 1, field: 1)
    static let pages = PropertyIndex(index: 2, field: 2)
    static let price = PropertyIndex(index: 3, field: 3)
    static let published = PropertyIndex(index: 4, field: 4)
    static let inPrint = PropertyIndex(index: 5, field: 5)
    static let cover = PropertyIndex(index: 6, field: 6)
    static let rating = PropertyIndex(index: 7, field: 7)
    static let author = PropertyIndex(index: 8, field: 8)
    static let tags = PropertyIndex(index: 9, field: -1)
  }

  var title: String {
    get { string(Indexes.title) }
    set { set(Indexes.title, string: newValue) }
  }
  var isbn: String {
    get { string(Indexes.isbn) }
    set { set(Indexes.isbn, string: newValue) }
  }
  var pages: Int64 {
    get { integer(Indexes.pages) }
    set { set(Indexes.pages, integer: newValue) }
  }
  var price: Double {
    get { double(Indexes.price) }
    set { set(Indexes.price, double: newValue) }
  }
  var published: Date {
    get { date(Indexes.published) }
    set { set(Indexes.published, to: .date(newValue)) }
  }
  var inPrint: Bool {
    get { boolean(Indexes.inPrint) }
    set { set(Indexes.inPrint, boolean: newValue) }
  }
  var cover: Data {
    get { data(Indexes.cover) }
    set { set(Indexes.cover, to: .data(newValue)) }
  }
  var rating: Double? {
    get { isNull(Indexes.rating) ? nil : double(Indexes.rating) }
    set { set(Indexes.rating, to: newValue.map(AttributeValue.double) ?? .null) }
  }
  var author: Author? {
    get { object(Indexes.author) as? Author }
    set { setObject(Indexes.author, to: newValue) }
  }
}

final class Author: ManagedObject {
  enum Indexes {
    static let name = PropertyIndex(index: 0, field: 0)
    static let born = PropertyIndex(index: 1, field: 1)
    static let country = PropertyIndex(index: 2, field: 2)
    static let books = PropertyIndex(index: 3, field: -1)
  }

  var name: String {
    get { string(Indexes.name) }
    set { set(Indexes.name, string: newValue) }
  }
  var born: Int64 {
    get { integer(Indexes.born) }
    set { set(Indexes.born, integer: newValue) }
  }
  var country: String {
    get { string(Indexes.country) }
    set { set(Indexes.country, string: newValue) }
  }
}

final class Tag: ManagedObject {
  enum Indexes {
    static let name = PropertyIndex(index: 0, field: 0)
    static let books = PropertyIndex(index: 1, field: -1)
  }

  var name: String {
    get { string(Indexes.name) }
    set { set(Indexes.name, string: newValue) }
  }
}
