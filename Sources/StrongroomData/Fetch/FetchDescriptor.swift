public import Foundation
import ObjectQuery

/// Which models to fetch, and in what order.
public struct FetchDescriptor<T: PersistentModel> {
  /// The condition; nil for all.
  public var predicate: Predicate<T>?
  /// The order; models that it leaves level come in the order they were inserted.
  public var sortBy: [SortDescriptor<T>]
  /// The greatest number of models; nil or 0 for no limit.
  public var fetchLimit: Int?
  /// How many to leave out first.
  public var fetchOffset: Int?
  /// The attributes that are read at once; all when there are none.
  ///
  /// The others are read when one of them is first accessed.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// Relationships whose models are read along: a statement or two for each, whatever the number of
  /// models.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []
  /// The words to search for by an index of words (`#Index<Note>(.fullText([\.title, \.text]))`),
  /// whose best finds come first, before `sortBy`: `quick brow*` for all of these, `fox OR cat` for
  /// one of them, `"brown fox"` for words in a row, `-dog` for none of it, whatever their case and
  /// marks.
  ///
  /// What asks for nothing finds nothing; nil for no search. Leaves unsaved changes out.
  public var search: String?
  /// The properties of the index that is searched, as `#Index` lists them; the first index of words
  /// of the class when there are none.
  public var searchedProperties: [PartialKeyPath<T>] = []
  /// Whether unsaved changes count.
  public var includePendingChanges = true

  /// Describes a fetch.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

// Key paths never change, and a predicate is Sendable itself.
extension FetchDescriptor: @unchecked Sendable {}

extension FetchDescriptor: Equatable {
  /// Whether two descriptors fetch the same.
  ///
  /// Conditions are compared by what they say, also where they were made in different places; two that only
  /// memory can evaluate by how they are written.
  public static func == (left: FetchDescriptor<T>, right: FetchDescriptor<T>) -> Bool {
    ComparedDescriptor(left) == ComparedDescriptor(right)
  }
}
