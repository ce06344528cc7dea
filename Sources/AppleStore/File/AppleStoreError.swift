import AppleModel
import CipherDatabase
import KeyedArchive
import StoreContract

/// Why a store of Core Data's cannot be read.
///
/// Never holds a stored value.
public struct AppleStoreError: Error, Sendable, CustomStringConvertible {
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
    /// The file is no SQLite database, or is encrypted.
    public static let notADatabase = Code("notADatabase")
    /// The database is none of Core Data's.
    public static let notAStore = Code("notAStore")
    /// The store has no model in it, as those of before 2015; give one.
    public static let noModel = Code("noModel")
    /// The model is not the store's.
    public static let wrongModel = Code("wrongModel")
    /// The encrypted store was imported from another store.
    public static let wrongSource = Code("wrongSource")
    /// Core Data cannot store objects of the model.
    public static let unsupportedModel = Code("unsupportedModel")
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

  /// The code and the message.
  public var description: String { "\(code): \(message)" }
}

extension AppleStoreError {
  init(_ error: CipherError, path: String) {
    let code: Code
    switch error.code {
    case .fileIsMissing: code = .fileMissing
    case .fileIsEmpty: code = .fileEmpty
    case .notADatabase, .wrongKeyOrDamaged: code = .notADatabase
    case .damagedPage, .truncated: code = .fileDamaged
    case .busy: code = .busy
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
      throw AppleStoreError(error, path: path)
    } catch let error as AppleModelError {
      throw AppleStoreError(
        .fileDamaged, "the model in \(path) cannot be read: \(error.message)", cause: error)
    } catch let error as KeyedArchiveError {
      throw AppleStoreError(.fileDamaged, "\(path) is damaged: \(error.message)", cause: error)
    }
  }
}

extension StoreError {
  /// What is thrown when the task was cancelled.
  static var stopped: StoreError { StoreError(.cancelled, "stopped; nothing was made") }
}
