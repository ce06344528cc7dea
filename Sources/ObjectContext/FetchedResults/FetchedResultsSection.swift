public import Foundation
public import StoreContract

/// Objects of a list that have the same section name.
public struct FetchedResultsSection<T: ManagedObject> {
  /// The name: the value of the section's property as text; empty without one.
  public let name: String
  /// The objects, in the request's order.
  public internal(set) var objects: [T]
}

extension IndexPath {
  /// The path of an item in a section, both from 0.
  public init(item: Int, section: Int) { self = [section, item] }

  /// The section's index, from 0.
  public var section: Int { self[0] }
  /// The item's index in its section, from 0.
  public var item: Int { self[1] }
}

/// One thing that happened to a list.
///
/// Old places count in the list before all of the changes, new places in the list after them.
/// Changes come in the order that tables and lists on screens want: deletions from the end,
/// sections that go from the end, sections that come from the start, then insertions, moves and
/// updates, each from the start. They are one change together: a move's places are those before and
/// after all of it.
public enum FetchedResultsChange<T: ManagedObject> {
  /// A section appeared.
  case insertSection(Int)
  /// A section vanished with its last object.
  case deleteSection(Int)
  /// An object appeared.
  case insert(T, at: IndexPath)
  /// An object vanished.
  case delete(T, from: IndexPath)
  /// An object changed and stands elsewhere.
  case move(T, from: IndexPath, to: IndexPath)
  /// An object changed and stands where it stood among the others.
  case update(T, at: IndexPath)
}

/// The IDs of a list by section.
public struct FetchedResultsSnapshot: Sendable, Hashable {
  /// One section's.
  public struct Section: Sendable, Hashable {
    /// The section's name.
    public let name: String
    /// The IDs, in the request's order.
    public let objectIDs: [ManagedObjectID]
  }

  /// The sections.
  public let sections: [Section]
  /// All IDs, in the request's order.
  public var objectIDs: [ManagedObjectID] { sections.flatMap(\.objectIDs) }
}
