public import Foundation

/// The last transaction of a store's history as a vault remembers it, so that an older copy in the store's
/// place is noticed.
public struct HistoryHead: Sendable, Hashable {
  /// The number of the transaction.
  public let transactionNumber: Int64
  /// Its fingerprint, which depends on all transactions before.
  public let fingerprint: Data
  /// When it was recorded, in whole seconds.
  public let recorded: Date

  /// Makes a head.
  public init(transactionNumber: Int64, fingerprint: Data, recorded: Date) {
    self.transactionNumber = transactionNumber
    self.fingerprint = fingerprint
    self.recorded = Date(timeIntervalSince1970: recorded.timeIntervalSince1970.rounded(.down))
  }

  /// `v1:` number `:` fingerprint in hex `:` seconds since 1970.
  package var text: String {
    let hex = fingerprint.map { String(format: "%02x", $0) }.joined()
    return "v1:\(transactionNumber):\(hex):\(Int64(recorded.timeIntervalSince1970))"
  }

  /// Reads the text; nil for any other.
  package init?(text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "v1", let number = Int64(parts[1]), number > 0,
      let seconds = Int64(parts[3]), parts[2].utf8.count % 2 == 0, parts[2].utf8.count <= 128
    else { return nil }
    let digits = Array(parts[2])
    let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    guard !bytes.contains(nil) else { return nil }
    self.init(
      transactionNumber: number, fingerprint: Data(bytes.compactMap { $0 }),
      recorded: Date(timeIntervalSince1970: Double(seconds)))
  }
}

/// A vault that can remember a store's history head beside its key.
public protocol HistoryHeadVault: KeyVault {
  /// What was recorded last; nil where nothing was.
  /// - Throws: `KeyringError`.
  func historyHead(for store: UUID, interaction: KeyInteraction) async throws -> HistoryHead?

  /// Records a head in the place of the one before.
  /// - Throws: `KeyringError`.
  func setHistoryHead(
    _ head: HistoryHead, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws
}
