import Foundation
import ObjectQuery

/// A descriptor and what its condition says, which is found once for comparisons with many others.
package struct ComparedDescriptor<T: PersistentModel>: Equatable {
  private let descriptor: FetchDescriptor<T>
  /// Nil for none, and for one that only memory can evaluate.
  private let condition: FetchPredicate?
  /// How such a one is written.
  private let text: String?

  package init(_ descriptor: FetchDescriptor<T>) {
    self.descriptor = descriptor
    condition = descriptor.predicate.flatMap { try? FetchPredicate($0, values: ModelValues(core: nil)) }
    text = condition == nil ? descriptor.predicate.map { String(describing: $0) } : nil
  }

  package static func == (left: ComparedDescriptor<T>, right: ComparedDescriptor<T>) -> Bool {
    let (one, other) = (left.descriptor, right.descriptor)
    return left.condition == right.condition && left.text == right.text && one.sortBy == other.sortBy
      && one.fetchLimit == other.fetchLimit && one.fetchOffset == other.fetchOffset
      && one.propertiesToFetch == other.propertiesToFetch
      && one.relationshipKeyPathsForPrefetching == other.relationshipKeyPathsForPrefetching
      && one.search == other.search && one.searchedProperties == other.searchedProperties
      && one.includePendingChanges == other.includePendingChanges
  }
}
