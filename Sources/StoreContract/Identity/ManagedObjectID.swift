public import Foundation
public import ObjectModel
public import ObjectQuery
import Synchronization

/// The identity of one object in one store: temporary until its first save, then permanent and
/// never reused.
///
/// As `NSManagedObjectID`.
///
/// Two IDs are equal when they name the same store, the same root entity and the same reference
/// number. Sendable: pass IDs between contexts and isolation domains, never objects.
public struct ManagedObjectID: Sendable, Hashable {
  /// The entity and store this ID belongs to.
  public let storeEntity: StoreEntity
  /// The object's number in its root entity's table: positive when permanent, negative when
  /// temporary, never 0.
  public let reference: Int64

  /// Creates the ID of an object from its entity in a store and its reference number.
  @inlinable
  public init(_ storeEntity: StoreEntity, reference: Int64) {
    self.storeEntity = storeEntity
    self.reference = reference
  }

  /// The object's entity.
  ///
  /// An ID read from a to-one whose destination has subentities has the actual entity.
  public var entity: EntityDescription { storeEntity.entity }
  /// Whether no store has stored the object yet.
  public var isTemporaryID: Bool { reference < 0 }
  /// The UUID of the store that has the object; nil while the ID is temporary.
  public var storeIdentifier: UUID? { storeEntity.storeIdentifier }

  /// Whether both IDs name the same object of the same store.
  public static func == (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
    guard left.reference == right.reference else { return false }
    if left.storeEntity === right.storeEntity { return true }
    return left.storeEntity.storeIdentifier == right.storeEntity.storeIdentifier
      && left.entity.root.name == right.entity.root.name
  }

  /// Hashes the reference number.
  public func hash(into hasher: inout Hasher) { hasher.combine(reference) }

  private static let lastTemporary = Atomic<Int64>(0)

  /// A temporary reference number, unique in this process.
  public static func nextTemporaryReference() -> Int64 {
    lastTemporary.subtract(1, ordering: .relaxed).newValue
  }
}

extension ManagedObjectID: FetchArgument {
  /// The object as a constant in a predicate, by its number.
  public var fetchExpression: FetchExpression { .value(.reference(reference)) }
}

extension ManagedObjectID: CustomStringConvertible {
  /// The URI.
  public var description: String { uriRepresentation().absoluteString }
}
