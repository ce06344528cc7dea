/// Why records or archived objects could not be stored or read. The engine's own errors
/// (`StoreError`, `QueryError`, `KeyringError`) come through as they are.
public struct ValuesError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure. More may come; match with `==`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// A type cannot be described as a table: its decoding refuses every value, or is not by keys.
    public static let notDescribable = Code(description: "notDescribable")
    /// A key path reads no stored property.
    public static let unknownProperty = Code(description: "unknownProperty")
    /// The type is not among those the store or archive was opened with.
    public static let notRegistered = Code(description: "notRegistered")
    /// Two types have the same name.
    public static let duplicateName = Code(description: "duplicateName")
    /// What is stored does not make a value of the type.
    public static let undecodable = Code(description: "undecodable")
    /// A value refuses to be encoded, or encodes what it never decodes.
    public static let unencodable = Code(description: "unencodable")
    /// A write was called from inside a transaction of the same store.
    public static let nested = Code(description: "nested")
    /// There is no object of the identifier.
    public static let notFound = Code(description: "notFound")
    /// The object of an identifier is of another type than was asked for.
    public static let wrongType = Code(description: "wrongType")
    /// The store or archive is closed.
    public static let closed = Code(description: "closed")
  }

  /// The kind of failure.
  public let code: Code
  /// What is wrong and what to do. Never holds a stored value.
  public let message: String
  /// The error underneath.
  public let cause: (any Error)?
  /// Where it was thrown.
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

  /// For a value that could not be decoded or encoded. Coding errors contain values, so only their
  /// path is used.
  static func coding(_ code: Code, _ what: String, _ error: any Error) -> ValuesError {
    if let error = error as? ValuesError { return error }
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      return ValuesError(
        code,
        "\(what): nothing is stored for \(path(context.codingPath + [key])); give it a default or make it optional"
      )
    case DecodingError.valueNotFound(_, let context):
      return ValuesError(
        code, "\(what): \(path(context.codingPath)) is null; give it a default or make it optional")
    case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
      return ValuesError(code, "\(what): what is stored at \(path(context.codingPath)) is of another type")
    case EncodingError.invalidValue(_, let context):
      return ValuesError(code, "\(what): the value of \(path(context.codingPath)) cannot be encoded")
    default: return ValuesError(code, "\(what): its own coding refuses", cause: error)
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.isEmpty
      ? "its top" : keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}
