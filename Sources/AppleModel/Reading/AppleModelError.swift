/// Why no model could be read or written.
public struct AppleModelError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// More may come; match with `==`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// The file is missing, is no file, is too large, or cannot be read.
    public static let unreadable = Code(description: "unreadable")
    /// The bytes are no archive of a model.
    public static let notModel = Code(description: "notModel")
    /// The file is the optimized form of a compiled model, which is no archive.
    public static let optimizedForm = Code(description: "optimizedForm")
    /// The archive is damaged, or lacks what a model consists of.
    public static let damaged = Code(description: "damaged")
    /// A compiled bundle has no version of that name.
    public static let missingVersion = Code(description: "missingVersion")
    /// The model says something that an archive cannot.
    public static let unsupportedModel = Code(description: "unsupportedModel")
  }

  /// The kind of failure.
  public let code: Code
  /// What is wrong and what to do.
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
}
