public import Foundation
public import ObjectModel

/// Why a store could not do what it was asked.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// More may come; match with `==`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String
    /// Makes a code of a third party's store.
    public init(_ name: String) { description = name }

    /// A value does not fit its attribute.
    public static let invalidValue = Code("invalidValue")
    /// The request is of a kind this store does not know.
    public static let unsupportedRequest = Code("unsupportedRequest")
    /// The entity, property or object asked for is not in this store.
    public static let notFound = Code("notFound")
    /// Rows were changed or deleted since they were read.
    public static let conflict = Code("conflict")
    /// A uniqueness constraint would be broken.
    public static let notUnique = Code("notUnique")
    /// A delete rule forbids it.
    public static let denied = Code("denied")
    /// The store's model differs from the program's.
    public static let modelMismatch = Code("modelMismatch")
    /// Migrating the store would drop data, which its description does not allow.
    public static let lossyMigration = Code("lossyMigration")
    /// The store has a version of the model that no stage of its migration names, or a version is not
    /// what its checksum says.
    public static let unknownModelVersion = Code("unknownModelVersion")
    /// The store has a later version of the model than the program.
    public static let newerModelVersion = Code("newerModelVersion")
    /// Two versions between which a stage leads have the same checksum.
    public static let duplicateModelVersion = Code("duplicateModelVersion")
    /// The store's file has tables, indexes, triggers or views that its model does not make.
    public static let schemaMismatch = Code("schemaMismatch")
    /// The store was written by a newer version.
    public static let newerFormat = Code("newerFormat")
    /// There is no file at the store's URL, and the description does not create one.
    public static let fileMissing = Code("fileMissing")
    /// The file at the store's URL is empty.
    public static let fileEmpty = Code("fileEmpty")
    /// The file is an unencrypted SQLite database.
    public static let fileIsPlaintext = Code("fileIsPlaintext")
    /// The file is not a store, or is cut off.
    public static let fileTruncated = Code("fileTruncated")
    /// No key in the vault belongs to the store.
    public static let keyMissing = Code("keyMissing")
    /// No key found opens the file, or its first page is damaged.
    public static let wrongKey = Code("wrongKey")
    /// Several different keys were found and none opens the file.
    public static let keyAmbiguous = Code("keyAmbiguous")
    /// The file is encrypted in a format that is not the store's, or that this library cannot read.
    public static let cipherFormat = Code("cipherFormat")
    /// The key could not be changed; the store is as it was, under its old key.
    public static let rotationFailed = Code("rotationFailed")
    /// The work was cancelled; nothing was changed.
    public static let cancelled = Code("cancelled")
    /// There is already a file at the URL given.
    public static let fileExists = Code("fileExists")
    /// The disk failed while a save or a batch was being committed, so it is unknown whether it is
    /// stored; reopen and look.
    public static let outcomeUnknown = Code("outcomeUnknown")
    /// A page of the file is damaged.
    public static let fileDamaged = Code("fileDamaged")
    /// Another file was put in the place of the store's while it was open, or the file was removed.
    public static let fileReplaced = Code("fileReplaced")
    /// What was saved after a token is no longer in the history.
    public static let historyTokenExpired = Code("historyTokenExpired")
    /// A token is of another store, or of a copy of this one that went another way.
    public static let historyTokenForeign = Code("historyTokenForeign")
    /// A vault remembers a later history than the store's file has.
    public static let historyRolledBack = Code("historyRolledBack")
    /// Another process, or another connection of this one, holds the store.
    public static let busy = Code("busy")
    /// The place of the store cannot be written to.
    public static let notWritable = Code("notWritable")
    /// The disk, or the system underneath, failed to read or write.
    public static let diskFailed = Code("diskFailed")
    /// The disk is full.
    public static let diskFull = Code("diskFull")
    /// The libsqlcipher in this process cannot encrypt.
    public static let notEncrypting = Code("notEncrypting")
    /// The store is open for reading only.
    public static let readOnly = Code("readOnly")
    /// The reader or writer of a value was used after its end.
    public static let valueClosed = Code("valueClosed")
    /// Anything else; see `cause`.
    public static let other = Code("other")
  }

  /// The kind of failure.
  public let code: Code
  /// What is wrong and what to do.
  ///
  /// Never holds a stored value.
  public let message: String
  /// The objects concerned, for `conflict` and `notUnique`.
  public let objectIDs: [ManagedObjectID]
  /// For `outcomeUnknown`: what to ask the store for when it is open again; nil for batches that update or
  /// delete, and for saves of many-to-many relationships alone.
  public internal(set) var commitToken: CommitToken?
  /// For `lossyMigration`, and for `modelMismatch` where a migration was tried: what it would do.
  public package(set) var migrationForecast: MigrationForecast?
  /// For `historyTokenExpired` and `historyTokenForeign`: where to go on once the objects were read again;
  /// nil for the beginning.
  public var historyToken: PersistentHistoryToken?
  /// The error underneath.
  public let cause: (any Error)?
  /// Where it was thrown.
  public let fileID: String
  /// The line in `fileID`.
  public let line: Int

  /// Makes an error.
  public init(
    _ code: Code, _ message: String, objectIDs: [ManagedObjectID] = [], cause: (any Error)? = nil,
    fileID: String = #fileID, line: Int = #line
  ) {
    self.code = code
    self.message = message
    self.objectIDs = objectIDs
    self.cause = cause
    self.fileID = fileID
    self.line = line
  }

  /// Code, message and cause in one line.
  public var description: String { "\(code): \(message)" + (cause.map { " (\($0))" } ?? "") }

  /// For a commit that may or may not have reached the disk.
  package static func outcomeUnknown(_ token: CommitToken?, cause: any Error) -> StoreError {
    var error = StoreError(
      .outcomeUnknown,
      "the disk or the connection failed while the save was committed, and fails still: whether it is there"
        + " shows when the store is opened again"
        + (token == nil ? "; read what it changed then" : "; ask wasSaved with this error's token then"),
      cause: cause)
    error.commitToken = token
    return error
  }

  /// For a save of objects that are not as it read them.
  package static func stale(_ objects: [ManagedObjectID]) -> StoreError {
    StoreError(
      .conflict,
      "\(objects.count.counted("object", "was", "were")) changed or deleted since the save read them;"
        + " refresh and save again",
      objectIDs: objects)
  }

  /// For a save whose references have destinations that were deleted elsewhere.
  package static func missingDestinations(_ ids: [ManagedObjectID]) -> StoreError {
    StoreError(
      .conflict,
      "\(ids.count.counted("referenced object", "is", "are")) not in the store: deleted elsewhere, or never"
        + " saved; refresh, remove or replace the references, and save again",
      objectIDs: ids)
  }

  /// For a save that deletes objects to which others were linked meanwhile.
  package static func referencedMeanwhile(_ ids: [ManagedObjectID]) -> StoreError {
    StoreError(
      .conflict,
      "\(ids.count.counted("object", "is", "are")) to be deleted and given to others since; refresh and"
        + " delete again",
      objectIDs: ids)
  }

  static func notANumber(_ attribute: AttributeDescription?) -> StoreError {
    StoreError(
      .invalidValue, "\(name(attribute)) was given NaN, which no store can hold; set nil or a number")
  }

  package static func invalidValue(_ attribute: AttributeDescription?) -> StoreError {
    StoreError(
      .invalidValue,
      "\(name(attribute)) takes \(attribute.map { "values of type \($0.type.rawValue)" } ?? "references")"
        + " only"
    )
  }

  private static func name(_ attribute: AttributeDescription?) -> String {
    attribute.map { "\($0.entity.name).\($0.name)" } ?? "a to-one"
  }
}

extension StoreError: LocalizedError {
  /// As `description`.
  public var errorDescription: String? { description }
}
