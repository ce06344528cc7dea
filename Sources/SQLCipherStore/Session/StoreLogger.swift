import CipherDatabase
import Foundation
import Logging
import StoreContract
import StoreKeyring

/// What a store reports to the operator of a program: events of the whole store, never a stored
/// value and never key bytes.
struct StoreLogger: Sendable {
  private let logger: Logger
  private let label: String
  private let slowMilliseconds: Int

  /// Nil without a logger: nothing is measured or reported then.
  init?(_ description: PersistentStoreDescription) {
    guard var logger = description.logger else { return nil }
    label = description.logLabel
    logger[metadataKey: "store"] = "\(label)"
    self.logger = logger
    slowMilliseconds = description.slowStatementMilliseconds
  }

  // MARK: Opening

  func opened(_ session: OpenSession, in time: Duration) {
    let version = (try? session.pool.read(\.cipherVersion)) ?? "?"
    logger.info(
      "store opened",
      metadata: [
        "uuid": "\(session.store)", "sqlcipher": "\(version)", "milliseconds": .milliseconds(time),
      ])
  }

  func created(_ store: UUID, keyIn vaults: [any KeyVault]) {
    logger.notice(
      "store created", metadata: ["uuid": "\(store)", "vaults": .names(vaults.map(\.name))])
  }

  func foundKey(in vault: any KeyVault) {
    logger.debug("key found", metadata: ["vault": "\(vault.name)"])
  }

  func unavailable(_ vault: any KeyVault, _ error: KeyringError) {
    logger.warning(
      "vault could not be read", metadata: ["vault": "\(vault.name)", "error": "\(error.code)"])
  }

  func usedRecoveryCode() { logger.notice("recovery code used") }

  func openingAgain(_ reason: StoreError) {
    logger.debug("file replaced while it was opened", metadata: ["reason": "\(reason.message)"])
  }

  // MARK: Work on the whole store

  func migrated(from old: Data, to new: Data, rows: Int, isCopied: Bool, in time: Duration) {
    logger.notice(
      "store migrated",
      metadata: [
        "from": .version(old), "to": .version(new), "rows": "\(rows)", "copied": "\(isCopied)",
        "milliseconds": .milliseconds(time),
      ])
  }

  /// - `vaults`: Those that still have an older key.
  func rotated(retired: Int, vaultsWithOldKeys vaults: [String], in time: Duration) {
    logger.notice(
      "key rotated",
      metadata: [
        "retired": "\(retired)", "oldKeysIn": .names(vaults), "milliseconds": .milliseconds(time),
      ])
  }

  func backedUp(to url: URL, bytes: Int, in time: Duration) {
    logger.notice(
      "store backed up",
      metadata: [
        "to": "\(url.lastPathComponent)", "bytes": "\(bytes)", "milliseconds": .milliseconds(time),
      ])
  }

  // MARK: Statements

  /// Reports slow statements, waits, and that the file was replaced.
  var observer: ConnectionObserver {
    ConnectionObserver(
      slowMilliseconds: slowMilliseconds, executed: { executed($0) },
      fileReplaced: { logger.warning("file replaced while it was open; nothing more is saved into it") })
  }

  private func executed(_ statement: ExecutedStatement) {
    let metadata: Logger.Metadata = [
      "sql": "\(statement.sql)", "rows": "\(statement.rows)",
      "milliseconds": .milliseconds(.seconds(statement.milliseconds / 1000)),
    ]
    if statement.waitedMilliseconds > 0 {
      logger.notice(
        "waited for another connection",
        metadata: metadata.merging(["waited": "\(statement.waitedMilliseconds)"]) { $1 })
    }
    if statement.milliseconds >= Double(slowMilliseconds) {
      logger.warning("slow statement", metadata: metadata)
    }
  }
}

extension Logger.MetadataValue {
  fileprivate static func milliseconds(_ time: Duration) -> Self {
    let (seconds, attoseconds) = time.components
    return .string(String(format: "%.3f", Double(seconds) * 1000 + Double(attoseconds) / 1e15))
  }

  fileprivate static func names(_ names: [String]) -> Self { .array(names.map { .string($0) }) }

  /// Enough of a model's version hash to tell it from others.
  fileprivate static func version(_ hash: Data) -> Self { .string(String(hash.hex.prefix(8))) }
}

extension PersistentStoreDescription {
  var log: StoreLogger? { StoreLogger(self) }
}
