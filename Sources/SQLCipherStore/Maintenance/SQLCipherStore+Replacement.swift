import CipherDatabase
import Foundation
public import StoreContract
import StoreKeyring

extension SQLCipherStore {
  /// Moves a store to another cipher format: copies it into a new file, which replaces it after the
  /// whole copy was verified.
  ///
  /// The key and the UUID stay. The store must not be open.
  /// - Returns: Whether there was anything to do.
  /// - Throws: `StoreError`: `cipherFormat` when this library does not know the format, `busy`,
  ///   `fileDamaged`, `cancelled`, `diskFull`; the store is then as it was.
  @discardableResult
  public static func convert(
    _ description: PersistentStoreDescription, to format: StoreCipherFormat,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> Bool {
    let format: CipherFormat = format == .version3 ? .version3 : .version4
    guard format.isAvailable else {
      throw StoreError(
        .cipherFormat, "this libsqlcipher knows no files of SQLCipher 4; convert where version 4 is installed"
      )
    }
    let access = try await WholeFileAccess.open(description, for: .writing)
    defer { access.close() }
    guard access.format != format else { return false }
    try access.takeAlone()
    _ = try access.rewrite(format, progress)
    return true
  }

  /// Returns the space of deleted objects to the file system: copies the store into a new file,
  /// which replaces it after the whole copy was verified.
  ///
  /// The store must not be open.
  /// - Returns: The file's size before and after, in bytes.
  /// - Throws: as `convert(_:to:progress:)`.
  @discardableResult
  public static func compact(
    _ description: PersistentStoreDescription,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> (before: Int, after: Int) {
    let access = try await WholeFileAccess.open(description, for: .writing)
    defer { access.close() }
    try access.takeAlone()
    let before = access.file.size
    return (before, try access.rewrite(access.format, progress))
  }
}
