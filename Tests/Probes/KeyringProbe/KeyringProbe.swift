import Foundation
import SecretService
import StoreKeyring

/// `find UUID`, `add UUID` or `fill UUID` (adds keys until it is killed), with a deadline of two
/// seconds: prints what came of it, or the code of the error.
///
/// In the keyring, or in the key file that `KEYFILE` names.
@main
struct KeyringProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let store = UUID(uuidString: arguments[2]) else { exit(64) }
    let vault: any KeyVault
    if let path = ProcessInfo.processInfo.environment["KEYFILE"] {
      vault = KeyFileVault(url: URL(fileURLWithPath: path))
    } else {
      vault = SecretServiceVault(application: "org.strongroom.tests", deadline: .seconds(2))
    }
    do {
      switch arguments[1] {
      case "add":
        _ = try await vault.add(StoreKey(), for: store, label: "a test's key", interaction: .silent)
        print("added")
      case "fill":
        while true {
          let key = try await vault.add(StoreKey(), for: store, label: "a test's key", interaction: .silent)
          // At once: a kill must not swallow what was told.
          FileHandle.standardOutput.write(Data("\(key)\n".utf8))
        }
      default: print("found \(try await vault.keys(for: store, interaction: .silent).count)")
      }
    } catch let error as KeyringError {
      print("\(error.code) \(error.domain ?? "-") \(error.domainCode ?? 0)")
    }
  }
}
