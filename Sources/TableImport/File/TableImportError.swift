import CipherDatabase
import StoreContract

/// Why tables of another program cannot be read.
///
/// Never holds a stored value.
public struct TableImportError: Error, Sendable, CustomStringConvertible {
  /// What went wrong.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    let name: String
    /// The name of the code.
    public var description: String { name }
    private init(_ name: String) { self.name = name }

    /// There is no file.
    public static let fileMissing = Code("fileMissing")
    /// The file has no bytes.
    public static let fileEmpty = Code("fileEmpty")
    /// The file is neither a SQLite database nor CSV nor JSON lines, or is encrypted.
    public static let unknownFormat = Code("unknownFormat")
    /// The text is not UTF-8.
    public static let wrongEncoding = Code("wrongEncoding")
    /// The text cannot be divided into rows.
    public static let malformed = Code("malformed")
    /// A table has too many columns, or a row too many bytes.
    public static let tooLarge = Code("tooLarge")
    /// There is no table with rows that an entity can have.
    public static let noTable = Code("noTable")
    /// The model does not fit the tables.
    public static let wrongModel = Code("wrongModel")
    /// The database is damaged.
    public static let fileDamaged = Code("fileDamaged")
    /// Another program writes to it.
    public static let busy = Code("busy")
    /// The system refused to read it, or to make room.
    public static let other = Code("other")
  }

  /// What went wrong.
  public let code: Code
  /// The same in words, with what to do.
  public let message: String
  /// The error underneath.
  public let cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}

extension TableImportError {
  init(_ error: CipherError, path: String) {
    let code: Code
    switch error.code {
    case .fileIsMissing: code = .fileMissing
    case .fileIsEmpty: code = .fileEmpty
    case .notADatabase, .wrongKeyOrDamaged: code = .unknownFormat
    case .damagedPage, .truncated: code = .fileDamaged
    case .busy: code = .busy
    case .tooBig: code = .tooLarge
    default: code = .other
    }
    self.init(code, "\(path) cannot be read: \(error.message)", cause: error)
  }

  /// Runs a body, and translates the errors of what it reads by.
  static func translating<R>(_ path: String, _ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as CipherError {
      if error.code == .interrupted { throw StoreError.stopped }
      throw TableImportError(error, path: path)
    }
  }
}

extension StoreError {
  /// What is thrown when the task was cancelled.
  static var stopped: StoreError { StoreError(.cancelled, "stopped; nothing was made") }
}
