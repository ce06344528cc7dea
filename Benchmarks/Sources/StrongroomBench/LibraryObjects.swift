import Strongroom

/// The library's classes, with the accessors that generated code has.
final class Book: ManagedObject {
  enum Slots {
    static let title = PropertySlot(slot: 0, field: 0)
    static let isbn = PropertySlot(slot: 1, field: 1)
    static let pages = PropertySlot(slot: 2, field: 2)
    static let price = PropertySlot(slot: 3, field: 3)
    static let published = PropertySlot(slot: 4, field: 4)
    static let inPrint = PropertySlot(slot: 5, field: 5)
    static let cover = PropertySlot(slot: 6, field: 6)
    static let rating = PropertySlot(slot: 7, field: 7)
    static let author = PropertySlot(slot: 8, field: 8)
    static let tags = PropertySlot(slot: 9, field: -1)
  }

  var title: String {
    get { string(Slots.title) }
    set { set(Slots.title, string: newValue) }
  }
  var isbn: String {
    get { string(Slots.isbn) }
    set { set(Slots.isbn, string: newValue) }
  }
  var pages: Int64 {
    get { integer(Slots.pages) }
    set { set(Slots.pages, integer: newValue) }
  }
  var price: Double {
    get { double(Slots.price) }
    set { set(Slots.price, double: newValue) }
  }
  var published: Date {
    get { date(Slots.published) }
    set { set(Slots.published, to: .date(newValue)) }
  }
  var inPrint: Bool {
    get { boolean(Slots.inPrint) }
    set { set(Slots.inPrint, boolean: newValue) }
  }
  var cover: Data {
    get { data(Slots.cover) }
    set { set(Slots.cover, to: .data(newValue)) }
  }
  var rating: Double? {
    get { isNull(Slots.rating) ? nil : double(Slots.rating) }
    set { set(Slots.rating, to: newValue.map(AttributeValue.double) ?? .null) }
  }
  var author: Author? {
    get { object(Slots.author) as? Author }
    set { setObject(Slots.author, to: newValue) }
  }
}

final class Author: ManagedObject {
  enum Slots {
    static let name = PropertySlot(slot: 0, field: 0)
    static let born = PropertySlot(slot: 1, field: 1)
    static let country = PropertySlot(slot: 2, field: 2)
    static let books = PropertySlot(slot: 3, field: -1)
  }

  var name: String {
    get { string(Slots.name) }
    set { set(Slots.name, string: newValue) }
  }
  var born: Int64 {
    get { integer(Slots.born) }
    set { set(Slots.born, integer: newValue) }
  }
  var country: String {
    get { string(Slots.country) }
    set { set(Slots.country, string: newValue) }
  }
}

final class Tag: ManagedObject {
  enum Slots {
    static let name = PropertySlot(slot: 0, field: 0)
    static let books = PropertySlot(slot: 1, field: -1)
  }

  var name: String {
    get { string(Slots.name) }
    set { set(Slots.name, string: newValue) }
  }
}
