import Foundation
import StrongroomData

/// The library's classes as typed models.
@Model final class TypedAuthor {
  #Index<TypedAuthor>([\.country])
  var name: String
  var born: Int64
  var country: String
  @Relationship(inverse: \TypedBook.author) var books: [TypedBook] = []

  init(name: String, born: Int64, country: String) {
    self.name = name
    self.born = born
    self.country = country
  }
}

@Model final class TypedBook {
  #Index<TypedBook>([\.isbn])
  var title: String
  var isbn: String
  var pages: Int64
  var price: Double
  var published: Date
  var inPrint: Bool
  var cover: Data
  var rating: Double?
  var author: TypedAuthor?
  @Relationship(inverse: \TypedTag.books) var tags: [TypedTag] = []

  init(
    title: String, isbn: String, pages: Int64, price: Double, published: Date, inPrint: Bool, cover: Data,
    rating: Double?
  ) {
    self.title = title
    self.isbn = isbn
    self.pages = pages
    self.price = price
    self.published = published
    self.inPrint = inPrint
    self.cover = cover
    self.rating = rating
  }
}

@Model final class TypedTag {
  var name: String
  var books: [TypedBook] = []

  init(name: String) { self.name = name }
}
