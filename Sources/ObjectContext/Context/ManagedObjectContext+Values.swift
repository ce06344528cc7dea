public import Foundation
public import StoreContract

/// Binary values of any length, written and read in pieces past the objects.
///
/// Give the attribute `allowsExternalBinaryDataStorage`, so that fetches leave long values out too. In the
/// encrypted store memory stays the same where no external attribute declared later has a value in the
/// object, else writing takes about twice the value; the in-memory store holds the whole value.
extension ManagedObjectContext {
  /// Gives a binary attribute of a saved object a value of `count` bytes, which a closure writes in pieces,
  /// in one transaction of its own.
  ///
  /// Four statements, whatever the length, and one more where the object has unsaved changes here. Other
  /// unsaved changes of the object stay and can be saved without a conflict. Other contexts, live results and
  /// processes see the value as they see a batch; hooks are not called. While the closure runs, other writers
  /// of the store wait, so have the bytes ready; it may read, but not save.
  /// - Parameters:
  ///   - count: The length in bytes, 0 for an empty value. The encrypted store takes a gigabyte per row.
  ///   - id: The object's permanent ID.
  ///   - key: A stored binary attribute, in no index or uniqueness constraint, from which nothing is derived.
  ///   - fill: Writes exactly `count` bytes. Whatever it throws is rethrown, and the former value stays.
  /// - Throws: `ContextError`: `unsaved` for a new or deleted object, and an attribute with an unsaved value;
  ///   `unknownKey`, `objectNotFound`, `objectOfAnotherContext`. `StoreError`: `invalidValue` for an
  ///   attribute without pieces, a length out of range, and too few or too many bytes; `diskFull`, `busy`,
  ///   `readOnly`. Nothing is changed then.
  public func writeValue(
    count: Int, to id: ManagedObjectID, _ key: String, _ fill: (ValueWriter) throws -> Void
  ) throws {
    try graph.values.write(count: count, to: id, key, fill)
  }

  /// The same with the bytes of a file, from its beginning to its end as it is when this begins.
  /// - Throws: as `writeValue(count:to:_:_:)`, and what reading the file throws.
  public func writeValue(contentsOf file: URL, to id: ManagedObjectID, _ key: String) throws {
    try graph.values.write(contentsOf: file, to: id, key)
  }

  /// Opens the stored value of a binary attribute for reading in pieces; nil when it is null.
  ///
  /// Ignores unsaved changes, here and in a parent. A few statements, whatever the length. The reader sees
  /// the value as it is now, or in a pinned context as in its query generation, whatever is written
  /// meanwhile. In the encrypted store each reader but a pinned context's has a connection of its own, of
  /// about a megabyte; until it is closed the write-ahead log grows, and `rotateKey` and `compact` throw
  /// `busy`.
  /// - Throws: `ContextError`: `unsaved` for a new object, `unknownKey`, `objectNotFound`,
  ///   `objectOfAnotherContext`. `StoreError`: `invalidValue` for an attribute that is not binary, `busy`
  ///   when 64 values of the encrypted store are open already.
  public func openValue(of id: ManagedObjectID, _ key: String) throws -> ValueReader? {
    try graph.values.open(of: id, key)
  }
}
