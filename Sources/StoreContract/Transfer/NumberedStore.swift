package import ObjectModel

/// A store that knows which numbers it has given out, those of deleted objects too.
package protocol NumberedStore: IncrementalStore {
  /// The greatest number that it may have given to an object of a root entity; 0 where it has given none.
  ///
  /// One statement.
  func lastNumber(of root: EntityDescription) throws -> Int64
}
