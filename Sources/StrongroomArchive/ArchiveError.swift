import Strongroom

/// Why an archive could not store or read objects.
///
/// Errors of the engine (`StoreError`, `KeyringError`) are thrown unchanged.
public struct ArchiveError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// Later versions may add kinds; compare with `==`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// The archive was opened without the type, or without a type of the stored name.
    public static let notRegistered = Code(description: "notRegistered")
    /// Two types are stored under the same name.
    public static let duplicateName = Code(description: "duplicateName")
    /// Another instance with the object's identifier is in the archive already.
    public static let duplicateIdentifier = Code(description: "duplicateIdentifier")
    /// There is no object with the identifier.
    public static let notFound = Code(description: "notFound")
    /// The object with the identifier is of another type than the one asked for.
    public static let wrongType = Code(description: "wrongType")
    /// A stored object cannot be decoded as its type.
    public static let undecodable = Code(description: "undecodable")
    /// An object throws when it is encoded, or contains a value that an archive cannot store.
    public static let unencodable = Code(description: "unencodable")
    /// The archive is closed or was deallocated.
    public static let closed = Code(description: "closed")
  }

  /// The kind of failure.
  public let code: Code
  /// What is wrong and what to do.
  ///
  /// Never contains a stored value.
  public let message: String
  /// The error underneath.
  public let cause: (any Error)?
  /// The file that threw it.
  public let fileID: String
  /// The line in `fileID`.
  public let line: Int

  init(
    _ code: Code, _ message: String, cause: (any Error)? = nil, fileID: String = #fileID, line: Int = #line
  ) {
    self.code = code
    self.message = message
    self.cause = cause
    self.fileID = fileID
    self.line = line
  }

  /// Code, message and cause in one line.
  public var description: String { "\(code): \(message)" + (cause.map { " (\($0))" } ?? "") }

  /// The error for an object that could not be decoded or encoded; an `ArchiveError` is passed on.
  static func coding(_ code: Code, _ what: String, _ error: any Error) -> ArchiveError {
    if let error = error as? ArchiveError { return error }
    if let reason = CodingFailure.reason(error) { return ArchiveError(code, "\(what): \(reason)") }
    return ArchiveError(code, "\(what): its own Codable implementation threw", cause: error)
  }
}
