public import Foundation

/// Why the typed layer could not do what it was asked.
///
/// Equal to the constant of its kind, so that `catch SwiftDataError.unsupportedPredicate` and
/// `error == .unsupportedPredicate` work.
public struct SwiftDataError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
  enum Kind: String, Sendable, Hashable {
    case unsupportedPredicate, unsupportedSortDescriptor, unsupportedKeyPath
    case includePendingChangesWithBatchSize, sortingPendingChangesWithIdentifiers,
      invalidTransactionFetchRequest
    case missingModelContext, modelValidationFailure
    case loadIssueModelContainer, configurationFileNameContainsInvalidCharacters, configurationFileNameTooLong
    case configurationSchemaNotFoundInContainerSchema, duplicateConfiguration, unknownSchema
    case backwardMigration, unsupportedMigration, historyTokenExpired, unsupportedConfiguration
  }

  let kind: Kind
  /// What is wrong and what to do.
  ///
  /// Never holds a stored value.
  public let message: String
  /// The error underneath.
  public let cause: (any Error)?

  init(_ kind: Kind, _ message: String, cause: (any Error)? = nil) {
    self.kind = kind
    self.message = message
    self.cause = cause
  }

  private init(_ kind: Kind) { self.init(kind, kind.rawValue) }

  /// A predicate has a part that a store cannot be asked.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  /// An order is by what a store cannot sort by.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  /// A key path is no persistent property.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// Unsaved changes cannot count in a fetch by batches.
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  /// Unsaved changes cannot be sorted among identifiers.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(
    .sortingPendingChangesWithIdentifiers)
  /// A fetch is not allowed inside a transaction.
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)
  /// A model has no context, or another one.
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// Models to be saved break rules of the schema; nothing was saved.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  /// A container's store cannot be opened; see `cause`.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// A configuration's name cannot be a file's.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters)
  /// A configuration's name is too long for a file's.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  /// A configuration has classes that the container's schema has not.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema)
  /// Two configurations are of one place or one class.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  /// The classes make no schema; the message has every fault.
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  /// The store is of a later version than the schema.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  /// The store is of another version, and there is no way from it to the schema's.
  public static let unsupportedMigration = SwiftDataError(.unsupportedMigration)
  /// The history that is asked for is no longer there.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// A configuration asks for what there is not on Linux, or for a server whose class of stores is not
  /// registered.
  public static let unsupportedConfiguration = SwiftDataError(.unsupportedConfiguration)

  /// Kind and message.
  public var description: String { message == kind.rawValue ? kind.rawValue : "\(kind.rawValue): \(message)" }
  /// The message.
  public var errorDescription: String? { message }

  /// The same kind.
  public static func == (left: SwiftDataError, right: SwiftDataError) -> Bool { left.kind == right.kind }
  /// Hashes the kind.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

  /// Whether an error is of the kind of a constant.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    (error as? SwiftDataError) == pattern
  }
}
