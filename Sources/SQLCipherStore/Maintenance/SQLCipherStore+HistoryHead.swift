import CipherDatabase
import Foundation
import StoreContract
import StoreKeyring

extension SQLCipherStore {
  /// Records the last transaction of the history in the vaults that can remember it, so that `verify`
  /// notices when an older copy, or one that went another way, is put in the file's place.
  ///
  /// Call it when the program ends or after work that matters: what is saved later is not covered. One
  /// statement, and a call or two of each vault.
  /// - Parameter isAccepted: Whether the file is known to be an older copy, as after a restored backup;
  ///   else a vault that remembers more refuses.
  /// - Returns: Whether there is a history and a vault for it.
  /// - Throws: `StoreError` with code `historyRolledBack`, and what the vaults throw.
  @discardableResult
  public func recordHistoryHead(acceptingOlderFile isAccepted: Bool = false) async throws -> Bool {
    let opened = try open
    let vaults = storeDescription.keyVaults.compactMap { $0 as? any HistoryHeadVault }
    let head = try translating(path) {
      try opened.pool.read { try HistoryTable($0, opened.schema, opened.historyNames).last() }
    }
    guard let head, !vaults.isEmpty else { return false }
    let new = HistoryHead(
      transactionNumber: head.number, fingerprint: Data(head.fingerprint), recorded: Date())
    for vault in vaults {
      let interaction = storeDescription.keyInteraction
      if !isAccepted,
        let known = try await vault.historyHead(for: opened.identifier, interaction: interaction),
        let issue = try translating(path, { try opened.pool.read { try HistoryCheck.compare(known, $0) } })
      {
        throw StoreError(.historyRolledBack, issue.message)
      }
      try await vault.setHistoryHead(
        new, for: opened.identifier, label: "\(storeDescription.keyLabel) (history)", interaction: interaction
      )
    }
    return true
  }

  /// What the vaults remember of a store's history and the file has not.
  static func compareHeads(_ access: WholeFileAccess, _ description: PersistentStoreDescription) async throws
    -> [IntegrityIssue]
  {
    var issues: [IntegrityIssue] = []
    for case let vault as any HistoryHeadVault in description.keyVaults {
      let head = try await vault.historyHead(for: access.store, interaction: description.keyInteraction)
      guard let head else { continue }
      if let issue = try translating(access.path, { try HistoryCheck.compare(head, access.connection) }) {
        issues.append(issue)
      }
    }
    return issues
  }
}
