import Foundation
import StoreContract
import Strongroom

/// The orders that pages were shown of: the numbers of the objects that a condition meets, sorted.
///
/// Finding a page far down means sorting all before it. The numbers are found once, and each later page of
/// the same order reads its own rows only. All are found, since SQLite sorts all faster than the first
/// thousands.
struct ObjectLists {
  /// What all of a list depends on.
  struct Key: Hashable {
    let entity: String
    let condition, search, sort: String?
  }

  /// What changes with each save, of this process and of others.
  struct Stamp: Equatable {
    let announced: Int
    let transaction: Int64
  }

  /// A list of so many numbers is 2 MB.
  static let longest = 250_000
  private static let most = 4

  private var stamp: Stamp?
  private var lists: [(key: Key, numbers: [Int64])] = []
  private var totals: [Key: Int] = [:]

  /// Forgets everything that was found before the last save.
  mutating func forget(before stamp: Stamp) {
    if stamp == self.stamp { return }
    self = ObjectLists()
    self.stamp = stamp
  }

  func numbers(_ key: Key) -> [Int64]? { lists.first { $0.key == key }?.numbers }

  mutating func add(_ key: Key, _ numbers: [Int64]) {
    if lists.count == Self.most { lists.removeFirst() }
    lists.append((key, numbers))
  }

  func total(_ key: Key) -> Int? { totals[key] }

  mutating func add(_ key: Key, total: Int) {
    if totals.count == 100 { totals = [:] }
    totals[key] = total
  }
}

extension Inspection {
  /// The objects of one page, and how many there are on all pages.
  func page(_ call: InspectRequest, of entity: EntityDescription, _ context: ManagedObjectContext) throws
    -> (objects: [ManagedObject], total: Int)
  {
    let query = StoreQuery(condition: call["where"], search: call["search"], sort: call["sort"])
    var request = try query.objectRequest(entity)
    let limit = call.number("limit", or: Self.pageSize, in: 1...500)
    let offset = call.number("offset", or: 0, in: 0...Int(Int32.max))
    let toOnes = entity.relationships.filter { !$0.isTransient && !$0.isToMany }.map(\.name)
    func whole(_ request: inout FetchRequest) throws -> [ManagedObject] {
      request.relationshipKeyPathsForPrefetching = toOnes
      return try context.fetch(request)
    }
    // What is not saved is in no list.
    let isPending = context.hasChanges
    let key = ObjectLists.Key(
      entity: entity.name, condition: call["where"], search: call["search"], sort: call["sort"])
    if !isPending, let list = try numbers(key, request, offset, context) {
      let shown = list.dropFirst(offset).prefix(limit)
      let places = Dictionary(uniqueKeysWithValues: shown.enumerated().map { ($1, $0) })
      var rows = Self.rows(Array(shown), of: entity)
      let objects = shown.isEmpty ? [] : try whole(&rows)
      return (
        objects.sorted { places[$0.objectID.reference] ?? 0 < places[$1.objectID.reference] ?? 0 },
        list.count
      )
    }
    let unsorted = ObjectLists.Key(
      entity: entity.name, condition: call["where"], search: call["search"], sort: nil)
    let total = try isPending ? context.count(for: request) : total(unsorted, request, context)
    (request.fetchLimit, request.fetchOffset) = (limit, offset)
    return (try whole(&request), total)
  }

  /// Asks for the objects of an entity that have these numbers.
  static func rows(_ numbers: [Int64], of entity: EntityDescription) -> FetchRequest {
    FetchRequest(
      entity.name,
      where: .comparison(FetchComparison(.selfObject, .in, .list(numbers.map { .value(.reference($0)) }))))
  }

  /// The numbers of all objects of a list, where finding them is not more than the page needs anyway.
  ///
  /// The first pages of an order without condition are found faster by themselves. With a condition, all have
  /// to be found to be counted.
  private func numbers(
    _ key: ObjectLists.Key, _ request: FetchRequest, _ offset: Int, _ context: ManagedObjectContext
  ) throws -> [Int64]? {
    lists.forget(before: try stamp())
    let hasCondition = key.condition != nil || key.search != nil
    guard hasCondition || (key.sort != nil && offset >= 1000) else { return nil }
    if let known = lists.numbers(key) { return known }
    let all = ObjectLists.Key(entity: key.entity, condition: nil, search: nil, sort: nil)
    guard try total(all, FetchRequest(key.entity), context) <= ObjectLists.longest else { return nil }
    let numbers = try context.fetchObjectIDs(request).map(\.reference)
    lists.add(key, numbers)
    return numbers
  }

  private func total(_ key: ObjectLists.Key, _ request: FetchRequest, _ context: ManagedObjectContext)
    throws -> Int
  {
    if let known = lists.total(key) { return known }
    let total = try context.count(for: request)
    lists.add(key, total: total)
    return total
  }

  private func stamp() throws -> ObjectLists.Stamp {
    let token = try container.persistentStoreCoordinator.currentPersistentHistoryToken()
    return ObjectLists.Stamp(
      announced: announced, transaction: token?.position(in: store.identifier)?.transactionNumber ?? 0)
  }
}
