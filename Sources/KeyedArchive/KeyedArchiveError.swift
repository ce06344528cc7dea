/// Why an archive or a property list could not be read or written.
public struct KeyedArchiveError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// More may come; match with `==`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// The bytes are no binary property list.
    public static let notPropertyList = Code(description: "notPropertyList")
    /// The property list is no keyed archive.
    public static let notKeyedArchive = Code(description: "notKeyedArchive")
    /// The bytes are cut off or contradict themselves.
    public static let damaged = Code(description: "damaged")
    /// A value is of a kind or size that cannot be represented.
    public static let unsupportedValue = Code(description: "unsupportedValue")
    /// There is more than the limits allow.
    public static let tooLarge = Code(description: "tooLarge")
    /// Values are nested more deeply than the limits allow.
    public static let tooDeep = Code(description: "tooDeep")
    /// A value contains itself.
    public static let cycle = Code(description: "cycle")
    /// An object lacks a value that its class needs, or the value is of another type.
    public static let unexpectedValue = Code(description: "unexpectedValue")
    /// The system library could not compress or decompress.
    public static let compressionFailed = Code(description: "compressionFailed")
  }

  /// The kind of failure.
  public let code: Code
  /// What is wrong and what to do.
  ///
  /// Never holds a stored value.
  public let message: String
  /// Where it was thrown.
  public let fileID: String
  /// The line in `fileID`.
  public let line: Int

  package init(_ code: Code, _ message: String, fileID: String = #fileID, line: Int = #line) {
    self.code = code
    self.message = message
    self.fileID = fileID
    self.line = line
  }

  /// Code and message in one line.
  public var description: String { "\(code): \(message)" }
}
