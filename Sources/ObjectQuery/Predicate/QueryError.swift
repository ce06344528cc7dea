import ObjectModel

/// A query that cannot be answered.
public struct QueryError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// More may come; match with `==`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String
    /// The format text is wrong; see `column`.
    public static let syntax = Code(description: "syntax")
    /// An entity has no such property.
    public static let unknownKey = Code(description: "unknownKey")
    /// Two sides cannot be compared that way.
    public static let typeMismatch = Code(description: "typeMismatch")
    /// A variable was given no value.
    public static let missingVariable = Code(description: "missingVariable")
    /// A condition is nested too deeply, or a regular expression takes more steps than a text is
    /// worth.
    public static let tooComplex = Code(description: "tooComplex")
    /// The construct is not known yet.
    public static let unsupported = Code(description: "unsupported")
  }

  /// The kind of failure.
  public let code: Code
  /// What is wrong; names only, never a value.
  public let message: String
  /// Where in the format text, in characters from 1.
  public let column: Int?
  /// The error underneath.
  public let cause: (any Error)?
  /// Where it was thrown.
  public let fileID: String
  /// The line in `fileID`.
  public let line: Int

  package init(
    _ code: Code, _ message: String, column: Int? = nil, cause: (any Error)? = nil, fileID: String = #fileID,
    line: Int = #line
  ) {
    self.code = code
    self.message = message
    self.column = column
    self.cause = cause
    self.fileID = fileID
    self.line = line
  }

  static func opaque(_ attribute: AttributeDescription) -> QueryError {
    QueryError(
      .unsupported,
      "\(attribute.entity.name).\(attribute.name) is what a transformer makes, which no condition, order or"
        + " function can look"
        + " into; ask whether it is equal or missing, or keep what is asked for in an attribute of its own")
  }

  /// Code, column and message.
  public var description: String { "\(code)\(column.map { " at column \($0)" } ?? ""): \(message)" }
}
