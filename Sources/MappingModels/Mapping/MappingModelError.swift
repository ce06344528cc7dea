/// Why a mapping model could not be read, written or carried out.
public struct MappingModelError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// More may come; match with `==`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// The file is missing, is too large, cannot be read or cannot be written.
    public static let unreadable = Code(description: "unreadable")
    /// The file is no mapping model.
    public static let notMappingModel = Code(description: "notMappingModel")
    /// The file lacks what a mapping model consists of.
    public static let damaged = Code(description: "damaged")
    /// The mapping model does not fit the two versions of the model; see `issues`.
    public static let modelMismatch = Code(description: "modelMismatch")
    /// Classes of policies are not registered; see `policyClassNames`.
    public static let missingPolicies = Code(description: "missingPolicies")
    /// An expression asks for what cannot be computed here.
    public static let unsupportedExpression = Code(description: "unsupportedExpression")
    /// A value does not fit the attribute that it is for.
    public static let invalidValue = Code(description: "invalidValue")
  }

  /// The kind of failure.
  public let code: Code
  /// What is wrong and what to do.
  ///
  /// Never holds a stored value.
  public let message: String
  /// For `modelMismatch`: all that does not fit, with entity and property.
  public let issues: [String]
  /// For `missingPolicies`: the names that are wanted and not registered.
  public let policyClassNames: [String]
  /// The error underneath.
  public let cause: (any Error)?
  /// Where it was thrown.
  public let fileID: String
  /// The line in `fileID`.
  public let line: Int

  init(
    _ code: Code, _ message: String, issues: [String] = [], policyClassNames: [String] = [],
    cause: (any Error)? = nil, fileID: String = #fileID, line: Int = #line
  ) {
    self.code = code
    self.message = message
    self.issues = issues
    self.policyClassNames = policyClassNames
    self.cause = cause
    self.fileID = fileID
    self.line = line
  }

  /// Code, message and cause in one line.
  public var description: String { "\(code): \(message)" + (cause.map { " (\($0))" } ?? "") }
}
