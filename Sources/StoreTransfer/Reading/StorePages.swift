import ObjectModel
import ObjectQuery
import StoreContract

/// Reads a store in pieces, so that memory stays the same whatever the number of objects.
struct StorePages {
  private static let referencesTogether = 50_000

  let store: any IncrementalStore

  /// A snapshot of a store; the store itself where it has no snapshots.
  init(momentOf store: any IncrementalStore) throws {
    do { self.store = try store.snapshot() } catch let error as StoreError
      where error.code == .unsupportedRequest
    {
      self.store = store
    }
  }

  init(_ store: any IncrementalStore) { self.store = store }

  /// - Throws: `fileDamaged` or `schemaMismatch` where others have written into a store what it would not.
  func verify() throws { try (store as? any VerifiableStore)?.verify() }

  private func request(_ entity: EntityDescription) -> FetchRequest {
    var request = FetchRequest(entity.name)
    request.includesSubentities = false
    return request
  }

  /// The number of objects of an entity without its subentities.
  func count(_ entity: EntityDescription) throws -> Int {
    if entity.isAbstract { return 0 }
    return try store.count(for: request(entity))
  }

  /// Calls a closure with the numbers of all objects of an entity without its subentities, some at a time.
  private func eachPage(of entity: EntityDescription, _ body: ([Int64]) throws -> Void) throws {
    if entity.isAbstract { return }
    var request = request(entity).returning(.objectIDs)
    request.fetchLimit = Self.referencesTogether
    var count = Self.referencesTogether
    while count == Self.referencesTogether {
      let page = try store.fetchObjectIDs(request).map(\.reference)
      count = page.count
      request.fetchOffset += count
      if count > 0 { try body(page) }
    }
  }

  /// Calls a closure with the numbers of all objects of an entity, in pieces of a few megabytes, judged by
  /// the size of the last piece.
  ///
  /// - Parameters:
  ///   - entity: The entity, without its subentities.
  ///   - pace: How many at a time.
  ///   - body: Returns the size of what it read.
  /// - Throws: What reading and the closure throw; `cancelled`.
  func eachPiece(of entity: EntityDescription, _ pace: Pace, _ body: ([Int64]) throws -> Int) throws {
    var pace = pace
    try eachPage(of: entity) { page in
      var start = 0
      while start < page.count {
        if Task.isCancelled { throw StoreError(.cancelled, "stopped") }
        let piece = Array(page[start..<min(start + pace.count, page.count)])
        pace.adapt(to: try body(piece), of: piece.count)
        start += piece.count
      }
    }
  }
}

/// How many objects are read at a time, after what the last ones took.
struct Pace {
  private static let size = 4 << 20

  private(set) var count: Int
  private let most: Int

  /// For the rows of an entity; of values that may be long, few at a time, and one at first.
  static func rows(of entity: EntityDescription) -> Pace {
    let types = Set(entity.attributes.map(\.type))
    if !types.isDisjoint(with: [.binary, .transformable]) { return Pace(1, most: 64) }
    return types.isDisjoint(with: [.string, .composite]) ? links : Pace(16, most: 1024)
  }

  /// For the destinations of objects.
  static var links: Pace { Pace(64, most: 4096) }

  private init(_ count: Int, most: Int) { (self.count, self.most) = (count, most) }

  mutating func adapt(to size: Int, of objects: Int) {
    count = min(max(1, objects * Self.size / max(size, 1)), most, 2 * count)
  }
}

extension ManagedObjectModel {
  /// The relationships whose links have a table: each with its inverse once.
  var joinTableOwners: [RelationshipDescription] {
    entities.flatMap { entity in
      entity.relationships.filter {
        $0.entity === entity && $0.hasJoinTable && $0.joinTableOwner === $0
      }
    }
  }
}

extension RelationshipDescription {
  /// The inverse of a join table's owner, where it has an order of its own.
  var orderedInverse: RelationshipDescription? {
    inverse.flatMap { $0 !== self && $0.isToMany && $0.isOrdered ? $0 : nil }
  }
}
