import Foundation
import StoreContract

/// A place in the history of a container's stores: after a transaction, and after all before it.
///
/// Codable, so that a program keeps it from one run to the next, and fetches what was saved since. It has
/// what tells its transaction from one of the same number in another store, or in a copy that went another
/// way, so that such a token is refused.
public struct DefaultHistoryToken: HistoryToken {
  /// The number of the last transaction in each store, by the store's identifier.
  public typealias TokenType = [String: Int64]

  /// The number of the last transaction in each store, by the store's identifier; nil for the beginning.
  public let tokenValue: TokenType?
  /// What tells the transactions from those of copies, by the store's identifier.
  private let fingerprints: [String: Data]

  /// The same for equal tokens, in one run of the program.
  public var id: Int { hashValue }
  /// The identifier of the store; where there are several, the first of them in the order of their texts.
  public var storeIdentifier: String { tokenValue?.keys.min() ?? "" }

  private init(_ tokenValue: TokenType?, _ fingerprints: [String: Data]) {
    self.tokenValue = tokenValue
    self.fingerprints = fingerprints
  }

  private enum CodingKeys: String, CodingKey { case tokenValue, fingerprints }

  /// Reads a token that was written.
  ///
  /// Issues no statement.
  /// - Throws: `DecodingError` when it is none.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try values.decodeIfPresent(TokenType.self, forKey: .tokenValue),
      try values.decodeIfPresent([String: Data].self, forKey: .fingerprints) ?? [:])
  }

  /// Writes the token.
  ///
  /// Issues no statement.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(tokenValue, forKey: .tokenValue)
    if !fingerprints.isEmpty { try values.encode(fingerprints, forKey: .fingerprints) }
  }

  /// Whether a token is before another one in the stores that both know.
  ///
  /// Tokens of different stores are neither before nor after each other.
  public static func < (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
    guard let one = left.tokenValue else { return right.tokenValue != nil }
    guard let other = right.tokenValue else { return false }
    for store in one.keys.sorted() {
      guard let first = one[store], let second = other[store], first != second else { continue }
      // Tokens of one history differ in one direction only.
      return first < second
    }
    return false
  }
}

extension DefaultHistoryToken {
  /// The engine's token.
  init(_ token: PersistentHistoryToken) {
    var (numbers, fingerprints): ([String: Int64], [String: Data]) = ([:], [:])
    for store in token.stores {
      guard let position = token.position(in: store) else { continue }
      numbers[store.uuidString] = position.transactionNumber
      fingerprints[store.uuidString] = position.fingerprint
    }
    self.init(numbers, fingerprints)
  }

  /// For the engine; nil for the beginning.
  var persistentToken: PersistentHistoryToken? {
    guard let tokenValue else { return nil }
    var positions: [UUID: PersistentHistoryToken.Position] = [:]
    for (store, number) in tokenValue {
      guard let identifier = UUID(uuidString: store) else { continue }
      positions[identifier] = PersistentHistoryToken.Position(
        transactionNumber: number, fingerprint: fingerprints[store] ?? Data())
    }
    return PersistentHistoryToken(positions)
  }

  /// This token's places, and in the stores that another one knows that one's.
  func merging(_ later: DefaultHistoryToken) -> DefaultHistoryToken {
    DefaultHistoryToken(
      (tokenValue ?? [:]).merging(later.tokenValue ?? [:]) { $1 },
      fingerprints.merging(later.fingerprints) { $1 })
  }
}

extension HistoryReceipt {
  /// The places as the typed layer has them: those in some stores, or all.
  func historyTokens(of stores: Set<UUID>?) -> [any HistoryToken] {
    tokens.filter { token in stores.map { token.stores.allSatisfy($0.contains) } ?? true }
      .map(DefaultHistoryToken.init)
  }
}
