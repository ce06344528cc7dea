import BenchKit

/// The checksum of books, every column read.
func read(_ books: [Book]) -> UInt64 {
  var sum = Checksum()
  for book in books { book.add(to: &sum) }
  return sum.value
}

/// A text of a C array that ends with a zero.
func text<T>(of array: inout T) -> String {
  withUnsafeBytes(of: &array) { bytes in
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

extension Book {
  func add(to sum: inout Checksum) {
    sum.add(id)
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
