import Foundation
import Strongroom
import StrongroomPostgres

/// How far the check of a store's integrity is.
struct IntegrityCheck: Encodable, Sendable {
  enum State: String, Encodable { case none, running, done, failed }
  var state = State.none
  var step = ""
  var done = 0
  var total = 0
  var issues: [String] = []
}

extension Inspection {
  struct Fact: Encodable {
    let what, value: String

    init(_ what: String, _ value: String) { (self.what, self.value) = (what, value) }

    init(_ what: String, bytes: Int) {
      let exact = "\(bytes.formatted()) bytes"
      self.init(what, bytes < 1000 ? exact : bytes.formatted(.byteCount(style: .file)) + " (\(exact))")
    }
  }

  /// What the store is, and how large; nothing of its key.
  func storeFacts() async throws -> Answer {
    switch store {
    case let store as SQLCipherStore: try Answer(json: try await facts(store))
    case let store as PostgresStore: try Answer(json: try facts(store))
    default: throw ToolFailure.otherStore
    }
  }

  private func facts(_ store: SQLCipherStore) async throws -> [Fact] {
    let summary = try store.summary()
    let isShown = try await SQLCipherStore.recoveryCodeWasShown(of: description)
    let files = ["": "file", "-wal": "log"].sorted { $0.key < $1.key }.compactMap { suffix, name -> Fact? in
      let attributes = try? FileManager.default.attributesOfItem(atPath: store.path + suffix)
      return (attributes?[.size] as? NSNumber).map { Fact(name, bytes: $0.intValue) }
    }
    return [
      Fact("store", store.path), Fact("identifier", summary.identifier.uuidString),
      Fact("cipher", "SQLCipher \(summary.cipherVersion)"), Fact("SQLite", summary.libraryVersion),
    ] + files + [
      Fact("pages", "\(summary.pageCount.formatted()), each of 4,096 bytes"),
      Fact(
        "free pages",
        summary.freePageCount == 0
          ? "0" : "\(summary.freePageCount.formatted()); strongroom compact gives them back"),
      Fact("page cache", bytes: description.pageCacheBytes),
      Fact("recovery code", isShown ? "was shown" : "was never shown: strongroom key recovery show"),
    ]
  }

  private func facts(_ store: PostgresStore) throws -> [Fact] {
    let summary = try store.summary()
    return [
      Fact("schema", description.serverSchema), Fact("identifier", summary.identifier.uuidString),
      Fact("server", summary.serverVersion), Fact("size", bytes: summary.byteCount),
    ]
  }

  struct ShownVault: Encodable {
    let name: String
    let isReadOnly: Bool
    let keys: [String]
    let problem: String?
  }

  /// The vaults that were named, and how many keys of the store each has, without a byte of them.
  func vaultFacts() async throws -> Answer {
    var vaults: [ShownVault] = []
    for vault in description.keyVaults {
      do {
        let keys = try await vault.keys(for: store.identifier, interaction: .silent)
        vaults.append(
          ShownVault(
            name: vault.name, isReadOnly: vault.isReadOnly,
            keys: keys.map { $0.created.map { "made \($0.formatted(.iso8601))" } ?? "without a date" },
            problem: nil))
      } catch {
        vaults.append(
          ShownVault(name: vault.name, isReadOnly: vault.isReadOnly, keys: [], problem: "\(error)"))
      }
    }
    return try Answer(json: vaults)
  }

  /// How far the check is; begins one where it is to be started and none is running.
  func checkIntegrity(isStarted: Bool) throws -> IntegrityCheck {
    guard isStarted, check.state != .running else { return check }
    guard store is SQLCipherStore else {
      throw ToolFailure("this is a check of files: \(KeyArguments.serverCheck)")
    }
    check = IntegrityCheck(state: .running)
    let description = description
    Task {
      do {
        let issues = try await SQLCipherStore.verify(description) { progress in
          Task { await self.checked(progress) }
        }
        finishCheck(.done, issues.map { "\($0)" })
      } catch {
        finishCheck(.failed, ["\(error)"])
      }
    }
    return check
  }

  private func checked(_ progress: StoreProgress) {
    guard check.state == .running else { return }
    (check.step, check.done, check.total) = ("\(progress.step)", progress.done, progress.total)
  }

  private func finishCheck(_ state: IntegrityCheck.State, _ issues: [String]) {
    (check.state, check.issues) = (state, issues)
  }
}
