import Foundation
import StrongroomData

@Model final class Parcel {
  @Attribute(.unique, .preserveValueOnDeletion) var code: UUID
  @Attribute(.preserveValueOnDeletion) var recipient: String?
  @Attribute(.preserveValueOnDeletion) var destination: Address?
  @Attribute(.preserveValueOnDeletion) var standing: Standing
  var weight: Int
  var depot: Depot?

  init(_ recipient: String?, weight: Int = 1) {
    code = UUID()
    self.recipient = recipient
    self.weight = weight
    standing = .guest
  }
}

@Model final class Depot {
  var name: String
  @Relationship(inverse: \Parcel.depot) var parcels: [Parcel] = []

  init(_ name: String) { self.name = name }
}

/// A container, and saves into it in the name of authors.
struct History {
  let place: Place
  let container: ModelContainer
  let context: ModelContext

  init(_ types: any PersistentModel.Type...) throws {
    place = try Place()
    let types = types.isEmpty ? [Parcel.self] : types
    container = try ModelContainer(
      for: Schema(types), configurations: [place.configuration()])
    context = ModelContext(container)
  }

  @discardableResult
  func save(_ recipients: String?..., by author: String? = nil) throws -> [Parcel] {
    let parcels = recipients.map { Parcel($0) }
    context.author = author
    for parcel in parcels { context.insert(parcel) }
    try context.save()
    return parcels
  }

  func fetch(
    _ predicate: Predicate<DefaultHistoryTransaction>? = nil,
    sortBy: [SortDescriptor<DefaultHistoryTransaction>] = [], limit: UInt64 = 0
  ) throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor(predicate: predicate, sortBy: sortBy)
    descriptor.fetchLimit = limit
    return try context.fetchHistory(descriptor)
  }

  func numbers(
    _ predicate: Predicate<DefaultHistoryTransaction>? = nil,
    sortBy: [SortDescriptor<DefaultHistoryTransaction>] = [], limit: UInt64 = 0
  ) throws -> [Int64] { try fetch(predicate, sortBy: sortBy, limit: limit).map(\.transactionIdentifier) }

  func delete(_ predicate: Predicate<DefaultHistoryTransaction>? = nil) throws {
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate))
  }
}
