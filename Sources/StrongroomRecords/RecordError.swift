import Strongroom

/// Why records could not be stored or read.
///
/// Errors of the engine (`StoreError`, `QueryError`, `KeyringError`) are thrown unchanged.
public struct RecordError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// Later versions may add kinds; compare with `==`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// A type cannot be a table: its decoding refuses every sample value, or does not use keys.
    public static let notDescribable = Code(description: "notDescribable")
    /// A key path reads no stored property.
    public static let unknownProperty = Code(description: "unknownProperty")
    /// The store was opened without the type.
    public static let notRegistered = Code(description: "notRegistered")
    /// Two types have the same table name.
    public static let duplicateName = Code(description: "duplicateName")
    /// A row cannot be decoded as the type.
    public static let undecodable = Code(description: "undecodable")
    /// A value throws when it is encoded, or encodes a key that it never decodes.
    public static let unencodable = Code(description: "unencodable")
    /// A write was called from inside a transaction of the same store.
    public static let nested = Code(description: "nested")
    /// The store is closed, or the transaction has ended.
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

  /// The error for a value that could not be decoded or encoded; a `RecordError` is passed on.
  static func coding(_ code: Code, _ what: String, _ error: any Error) -> RecordError {
    if let error = error as? RecordError { return error }
    if let reason = CodingFailure.reason(error) { return RecordError(code, "\(what): \(reason)") }
    return RecordError(code, "\(what): its own Codable implementation threw", cause: error)
  }
}
