/// A kind of store in which others may have written.
package protocol VerifiableStore: IncrementalStore {
  /// Looks whether it has what a store writes.
  /// - Throws: `fileDamaged` or `schemaMismatch` where it has not.
  func verify() throws
}
