public import ObjectModel
public import StoreContract

/// Makes the stores that are checked.
public protocol StoreFactory: Sendable {
  /// A new, loaded store of a model.
  func makeStore(_ model: ManagedObjectModel) async throws -> any IncrementalStore
  /// Closes a store and opens its storage again; nil for stores that forget.
  func reopen(_ store: any IncrementalStore, _ model: ManagedObjectModel) async throws -> (
    any IncrementalStore
  )?
  /// Whether texts may have the character U+0000, which some servers do not store; true by default. Such a
  /// store refuses it with `invalidValue`.
  var storesNullCharacters: Bool { get }
}

extension StoreFactory {
  /// True.
  public var storesNullCharacters: Bool { true }
}

/// One duty of a store, as a check that any store must pass unchanged.
public struct StoreCheck: Sendable, CustomStringConvertible {
  /// What is checked.
  public let description: String
  /// Runs the check; throws `StoreCheckFailure` or what the store throws.
  public let run: @Sendable (any StoreFactory) async throws -> Void

  init(_ description: String, _ run: @escaping @Sendable (any StoreFactory) async throws -> Void) {
    self.description = description
    self.run = run
  }

  /// Every check.
  public static var all: [StoreCheck] {
    identity + saving + savingTogether + fetching + relationships + values + bulk + pieces + history
      + historyConsumers
  }
}

/// A store did not do its duty.
public struct StoreCheckFailure: Error, CustomStringConvertible {
  /// What was expected, and where.
  public let description: String

  /// Makes a failure.
  package init(description: String) { self.description = description }
}

package func expect(_ condition: Bool, _ what: String, line: Int = #line, fileID: String = #fileID) throws {
  if !condition { throw StoreCheckFailure(description: "\(fileID):\(line): \(what)") }
}

/// Expects an error of a code.
package func expectError(
  _ code: StoreError.Code, _ what: String, line: Int = #line, fileID: String = #fileID,
  _ body: () throws -> Void
) throws {
  do {
    try body()
  } catch let error as StoreError {
    return try expect(
      error.code == code, "\(what): expected \(code), got \(error.code)", line: line, fileID: fileID)
  }
  throw StoreCheckFailure(description: "\(fileID):\(line): \(what): expected \(code), got no error")
}
