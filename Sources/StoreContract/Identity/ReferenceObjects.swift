public import Foundation
import Locks
public import ObjectModel

/// The IDs of a store that identifies its objects by strings: names, paths, UUIDs of a service.
///
/// A custom store has one of these, where a subclass of Core Data's `NSIncrementalStore` calls
/// `newObjectID(for:referenceObject:)` and `referenceObject(for:)`.
///
/// An ID's number is computed from the string alone, so it is the same in each launch and an ID's
/// URI stays valid. Where two strings of a root entity have the same number (one in nine
/// quintillion), the one seen second gets the next free number for the life of the process. An ID's
/// string is known once the string was seen: a store that is asked for an ID of an earlier launch
/// enumerates its strings first. Stores each string it has seen once.
public final class ReferenceObjects: Sendable {
  private struct Names {
    var byNumber: [Int64: String] = [:]
    /// By the string's bytes: a store may distinguish strings that are equal in Swift.
    var numbers: [[UInt8]: Int64] = [:]
  }

  /// By the root entity's index.
  private let names = Locked<[Int: Names]>([:])

  /// Creates an empty set of IDs.
  public init() {}

  /// The ID of the object that the store identifies by a string.
  ///
  /// O(1).
  ///
  /// - Parameters:
  ///   - storeEntity: One of the store's `storeEntities`. An entity and its subentities share one
  ///     set of strings.
  ///   - referenceObject: The store's own identifier of the object.
  /// - Returns: The same ID for the same string, as long as the store is open.
  public func newObjectID(for storeEntity: StoreEntity, referenceObject: String) -> ManagedObjectID {
    let number = names.withLock { names in
      let root = storeEntity.entity.root.index
      let bytes = Array(referenceObject.utf8)
      if let known = names[root]?.numbers[bytes] { return known }
      var number = Self.number(of: bytes)
      while names[root]?.byNumber[number] != nil { number = number == .max ? 1 : number + 1 }
      names[root, default: Names()].byNumber[number] = referenceObject
      names[root, default: Names()].numbers[bytes] = number
      return number
    }
    return ManagedObjectID(storeEntity, reference: number)
  }

  /// The ID of the object that the store identifies by a UUID.
  public func newObjectID(for storeEntity: StoreEntity, referenceObject: UUID) -> ManagedObjectID {
    newObjectID(for: storeEntity, referenceObject: referenceObject.uuidString)
  }

  /// The ID of a new object, with a new UUID as its string.
  ///
  /// For `obtainPermanentIDs(for:)` of a store that does not rename objects.
  public func newObjectID(for storeEntity: StoreEntity) -> ManagedObjectID {
    newObjectID(for: storeEntity, referenceObject: UUID())
  }

  /// The string of an ID; nil when that string was not seen yet.
  ///
  /// O(1).
  public func referenceObject(for id: ManagedObjectID) -> String? {
    referenceObject(for: id.reference, of: id.entity)
  }

  /// The string of a reference number, as `newValues(for:of:)` gets it; nil when that string was
  /// not seen yet.
  ///
  /// O(1).
  public func referenceObject(for reference: Int64, of entity: EntityDescription) -> String? {
    names.withLock { $0[entity.root.index]?.byNumber[reference] }
  }

  /// The number of the object of an entity's hierarchy that has a string; nil for none.
  package func number(of string: String, in entity: EntityDescription) -> Int64? {
    names.withLock { $0[entity.root.index]?.numbers[Array(string.utf8)] }
  }

  /// Lets another object have the string of one that was deleted.
  package func release(_ id: ManagedObjectID) {
    names.withLock { names in
      let root = id.entity.root.index
      if let string = names[root]?.byNumber[id.reference] { names[root]?.numbers[Array(string.utf8)] = nil }
    }
  }

  /// Gives an object another string, also where it was another object's.
  package func rename(_ id: ManagedObjectID, to string: String) {
    names.withLock { names in
      let root = id.entity.root.index
      let bytes = Array(string.utf8)
      if let old = names[root]?.byNumber[id.reference] { names[root]?.numbers[Array(old.utf8)] = nil }
      names[root, default: Names()].byNumber[id.reference] = string
      names[root, default: Names()].numbers[bytes] = id.reference
    }
  }

  /// FNV-1a of 64 bits (Fowler, Noll, Vo), mixed as in SplitMix64; positive.
  package static func number(of bytes: [UInt8]) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
    return max(Int64((hash ^ (hash >> 31)) >> 1), 1)
  }
}
