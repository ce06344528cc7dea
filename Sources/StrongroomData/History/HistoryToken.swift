/// A place in the history of stores.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// What says where the place is.
  associatedtype TokenType: Codable, Hashable, Sendable

  /// Where the place is; nil for the beginning.
  var tokenValue: TokenType? { get }
  /// The identifier of the store that the token is of; empty, as by default, where it is of none in
  /// particular.
  var storeIdentifier: String { get }
}

extension HistoryToken {
  /// Empty.
  public var storeIdentifier: String { "" }
}
