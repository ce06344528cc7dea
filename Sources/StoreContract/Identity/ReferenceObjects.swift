public import Foundation
import Locks
public import ObjectModel

/// The IDs of a store that knows its objects by texts: names, paths, UUIDs of a service. A custom store holds one, as Core Data's
/// `NSIncrementalStore` has `newObjectID(for:referenceObject:)` and `referenceObject(for:)`.
///
/// The number of an ID is made of the text alone, so that it is the same in each launch and an ID's URI lasts; where two texts of a
/// root entity make one number (one in nine quintillion), the one that was seen second has the next free number for as long as the
/// process lives. Which text an ID stands for is known once the text was seen: a store that is asked for an ID of an earlier launch
/// first goes through its texts. Keeps each text it has seen, once.
public final class ReferenceObjects: Sendable {
  private struct Names {
    var byNumber: [Int64: String] = [:]
    /// By the bytes of the text: texts that are equal to Swift may be others to a store.
    var numbers: [[UInt8]: Int64] = [:]
  }

  /// By the root entity's index.
  private let names = Locked<[Int: Names]>([:])

  /// Knows no text yet.
  public init() {}

  /// The ID of the object that the store knows by a text. O(1).
  /// - Parameter storeEntity: One of the store's `storeEntities`. An entity and its subentities have one set of texts.
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

  /// The ID of the object that the store knows by a UUID.
  public func newObjectID(for storeEntity: StoreEntity, referenceObject: UUID) -> ManagedObjectID {
    newObjectID(for: storeEntity, referenceObject: referenceObject.uuidString)
  }

  /// The ID of a new object, under a text of its own: a UUID. For `obtainPermanentIDs(for:)` of a store that renames nothing.
  public func newObjectID(for storeEntity: StoreEntity) -> ManagedObjectID {
    newObjectID(for: storeEntity, referenceObject: UUID())
  }

  /// The text that an ID stands for; nil for one whose text was not seen yet. O(1).
  public func referenceObject(for id: ManagedObjectID) -> String? {
    referenceObject(for: id.reference, of: id.entity)
  }

  /// The text that a number stands for, as `newValues(for:of:)` gets it; nil for one whose text was not seen yet. O(1).
  public func referenceObject(for reference: Int64, of entity: EntityDescription) -> String? {
    names.withLock { $0[entity.root.index]?.byNumber[reference] }
  }

  /// FNV-1a of 64 bits (Fowler, Noll, Vo), its bits mixed as SplitMix64 does; positive.
  private static func number(of bytes: [UInt8]) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
    return max(Int64((hash ^ (hash >> 31)) >> 1), 1)
  }
}
