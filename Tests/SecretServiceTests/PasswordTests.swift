import CLibSecret
import Foundation
import StoreKeyring
import Testing

@testable import SecretService

@Suite("Passwords in the Secret Service", .serialized, .enabled(if: Beside.hasPrivateKeyring))
struct PasswordTests {
  private let vault = SecretServiceVault(application: "org.strongroom.tests")

  private static func secret(_ text: String) -> SecretBytes {
    Array(text.utf8).withUnsafeBytes { SecretBytes($0) }
  }

  private func account(_ purpose: ServerAccount.Purpose = .password) -> ServerAccount {
    ServerAccount(
      server: "\(UUID()).example.org", port: 5433, user: "ada", database: "library", purpose: purpose)
  }

  private func password(_ account: ServerAccount) async throws -> String? {
    let found = try await vault.password(for: account, interaction: .silent)
    return found?.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// Stores an item without the attribute that only this package's have.
  private func storeForeign(_ text: String, _ account: ServerAccount) throws {
    let session = try SecretSession(BoundedCall.Cancellable())
    try KeyringSchema.withPassword(account, isOwn: false) { schema, attributes in
      try KeyringSchema.withValue(Self.secret(text)) { value in
        _ = try GLib.flag("storing") {
          secret_service_store_sync(
            session.service, schema, attributes, "default", "other", value, nil, $0)
        }
      }
    }
  }

  @Test("a password is set, found by all that names the account, replaced and removed")
  func life() async throws {
    let account = account()
    #expect(try await password(account) == nil)
    for text in ["first", "second \u{20AC}"] {
      try await vault.setPassword(
        Self.secret(text), for: account, label: "one\nline", interaction: .silent)
      #expect(try await password(account) == text)
    }
    for change: (inout ServerAccount) -> Void in [
      { $0.server = "other" }, { $0.port = 5432 }, { $0.user = "bob" }, { $0.database = "other" },
      { $0.purpose = .clientKey },
    ] {
      var other = account
      change(&other)
      #expect(try await password(other) == nil, "\(other)")
    }
    try await vault.removePassword(for: account, interaction: .silent)
    #expect(try await password(account) == nil)
    try await vault.removePassword(for: account, interaction: .silent)
  }

  @Test("another program's password is found, and stays as it is when one of this package is set and removed")
  func foreign() async throws {
    let account = account()
    try storeForeign("theirs", account)
    #expect(try await password(account) == "theirs")
    try await vault.setPassword(Self.secret("ours"), for: account, label: "ours", interaction: .silent)
    #expect(try await password(account) == "ours")
    try await vault.removePassword(for: account, interaction: .silent)
    #expect(try await password(account) == "theirs")
  }

  @Test("the passphrase of a key is no password")
  func purposes() async throws {
    var account = account(.clientKey)
    try await vault.setPassword(Self.secret("phrase"), for: account, label: "x", interaction: .silent)
    #expect(try await password(account) == "phrase")
    account.purpose = .password
    #expect(try await password(account) == nil)
    try await vault.setPassword(Self.secret("word"), for: account, label: "x", interaction: .silent)
    #expect(try await password(account) == "word")
    try await vault.removePassword(for: account, interaction: .silent)
    account.purpose = .clientKey
    #expect(try await password(account) == "phrase")
    try await vault.removePassword(for: account, interaction: .silent)
  }
}
