import ArgumentParser
import Foundation
import Glibc
import Strongroom
import StrongroomData

/// Where a program's store is, and how it is opened.
package struct StorePlace: ParsableArguments {
  @Option(help: "The store's file; the program's own unless given.", completion: .file()) package var store:
    String?

  package init() {}

  /// Opens the program's store.
  ///
  /// Whoever sits at the terminal is asked for the recovery code when the keyring has lost the key.
  /// With `making`, a store is made where there is none, and its recovery code is shown, this once, with the
  /// command that takes it: `recovery`, or the program's `recover`.
  package func open(
    _ program: String, for types: any PersistentModel.Type..., making: Bool = false, recovery: String? = nil
  ) async throws -> ModelContainer {
    let recovery = recovery ?? "\(program) recover"
    let configuration = configuration(program)
    let isThere = FileManager.default.fileExists(atPath: configuration.url.path)
    guard isThere || making else {
      throw Failure(.nothingDone, "there is no store at \(configuration.url.path) yet")
    }
    do {
      let container = try ModelContainer(for: Schema(types), configurations: [configuration])
      if !isThere { try await showRecoveryCode(recovery, configuration) }
      return container
    } catch let error as SwiftDataError where isThere && Failure(of: error)?.code == .keyLost {
      guard Terminal.isThere else {
        throw Failure(
          .keyLost,
          "the keyring has no key that opens \(configuration.url.path); bring it back with `\(recovery)`"
        )
      }
      try await recover(
        program, typed: Terminal.secret("The keyring has no key of this store. Recovery code:"))
      return try ModelContainer(for: Schema(types), configurations: [configuration])
    }
  }

  /// Puts the key back into the keyring, by the recovery code that is typed, or read from standard
  /// input.
  package func recover(_ program: String) async throws {
    let typed = isatty(STDIN_FILENO) == 1 ? Terminal.secret("Recovery code:") : Terminal.line(STDIN_FILENO)
    try await recover(program, typed: typed)
  }

  /// Puts the key back into the keyring, by a recovery code that was typed.
  package func recover(_ program: String, typed: SecretBytes?) async throws {
    guard let typed else { throw Failure(.keyLost, "there is nobody to ask for the recovery code") }
    let code = try typed.withUnsafeBytes { try RecoveryCode(text: $0) }
    try await SQLCipherStore.restoreKey(of: description(configuration(program)), from: code)
  }

  /// The store's file and keyring.
  package func configuration(_ program: String) -> ModelConfiguration {
    let identifier = "org.strongroom.example.\(program)"
    // The vault's own name for the program, so that the `strongroom` tool finds the key too.
    let vault = SecretServiceVault()
    guard let store else {
      return ModelConfiguration(program, keyVault: vault, applicationIdentifier: identifier)
    }
    return ModelConfiguration(
      program, url: URL(fileURLWithPath: store), keyVault: vault, applicationIdentifier: identifier)
  }

  private func description(_ configuration: ModelConfiguration) -> PersistentStoreDescription {
    PersistentStoreDescription(url: configuration.url, vault: configuration.keyVault)
  }

  private func showRecoveryCode(_ recovery: String, _ configuration: ModelConfiguration) async throws {
    let code = try await SQLCipherStore.recoveryCode(of: description(configuration))
    code.withText {
      Terminal.show(
        """
        A new store was made; its key is in your keyring. Write this recovery code down:
        with it, `\(recovery)` brings the key back when the keyring is lost.
        It is not shown again.


        """, $0)
    }
  }
}
