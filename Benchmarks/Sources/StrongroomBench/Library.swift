import BenchKit
import CLibrary
import CLimit
import Foundation
import Strongroom

func openLibrary(
  _ path: String, _ model: ManagedObjectModel, create: Bool = false, durability: Durability = .normal,
  pageCacheBytes: Int? = nil, tracksHistory: Bool = false
) async throws -> PersistentContainer {
  var description = PersistentStoreDescription(
    type: SQLCipherStore.storeType, url: URL(fileURLWithPath: path))
  description.storeKey = try [UInt8](0..<32).withUnsafeBytes { try StoreKey(bytes: $0) }
  description.createsIfMissing = create
  description.durability = durability
  description.tracksHistory = tracksHistory
  if let pageCacheBytes { description.pageCacheBytes = pageCacheBytes }
  let container = PersistentContainer(managedObjectModel: model, description: description)
  try container.persistentStoreCoordinator.register(Author.self, for: "Author")
  try container.persistentStoreCoordinator.register(Book.self, for: "Book")
  try container.persistentStoreCoordinator.register(Tag.self, for: "Tag")
  try await container.loadPersistentStores()
  return container
}

func executed(_ container: PersistentContainer) -> Int {
  (try? container.persistentStoreCoordinator.persistentStore as? SQLCipherStore)?.executedStatements ?? 0
}

func identifiers(
  _ entity: String, _ numbers: [Int64], _ context: ManagedObjectContext
) throws -> [ManagedObjectID] {
  let store = try context.persistentStoreCoordinator.persistentStore
  let storeEntity = store.storeEntities.first { $0.entity.name == entity }!
  return numbers.map { ManagedObjectID(storeEntity, reference: $0) }
}

/// What P7 asks.
func filteredRequest(_ index: Int64) -> FetchRequest {
  FetchRequest(
    "Book",
    where: .and([
      .compare("author.country", .equal, .string("C" + (index % 20 < 10 ? "0" : "") + String(index % 20))),
      .compare("pages", .greater, .integer(100 + index % 300)),
    ]), sortDescriptors: [FetchSortDescriptor("published")], fetchLimit: 100)
}

/// A text of a C array that ends with a zero.
func text<T>(of array: inout T) -> String {
  withUnsafeBytes(of: &array) { bytes in
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

func tagName(_ index: Int64) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 24) { buffer in
    lm_make_tag(index, buffer.baseAddress)
    return String(cString: buffer.baseAddress!)
  }
}

/// The checksum of books, every attribute read.
func read(_ books: some Sequence<ManagedObject>) throws -> UInt64 {
  var sum = Checksum()
  for book in books { unsafeDowncast(book, to: Book.self).add(to: &sum) }
  return sum.value
}

/// The checksum of all that is stored, as the limit makes it.
func state(_ container: PersistentContainer) throws -> UInt64 {
  let context = container.newContext()
  var sum = Checksum(continuing: try read(context.fetch(FetchRequest("Book"))))
  var count: Int64 = 0
  var total: Int64 = 0
  for book in try context.fetch(FetchRequest("Book")) {
    for tag in try book.objects("tags") {
      count += 1
      total += book.objectID.reference * 31 + tag.objectID.reference
    }
  }
  sum.add(count)
  sum.add(total)
  return sum.value
}

extension Book {
  func add(to sum: inout Checksum) {
    sum.add(objectID.reference)
    sum.add(title)
    sum.add(isbn)
    sum.add(pages)
    sum.add(price)
    sum.add(published.timeIntervalSinceReferenceDate)
    sum.add(inPrint ? 1 : 0 as Int64)
    cover.withUnsafeBytes { sum.add($0) }
    if let rating { sum.add(rating) } else { sum.add(-1 as Int64) }
    sum.add(reference(Indexes.author))
  }
}
