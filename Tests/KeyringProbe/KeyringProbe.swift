import Foundation
import SecretService
import StoreKeyring

/// `find UUID` or `add UUID`, with a deadline of two seconds: prints what came of it, or the code of the error.
@main
struct KeyringProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let store = UUID(uuidString: arguments[2]) else { exit(64) }
    let vault = SecretServiceVault(application: "org.strongroom.tests", deadline: .seconds(2))
    do {
      if arguments[1] == "add" {
        _ = try await vault.add(StoreKey(), for: store, label: "a test's key", interaction: .silent)
        print("added")
      } else {
        print("found \(try await vault.keys(for: store, interaction: .silent).count)")
      }
    } catch let error as KeyringError {
      print("\(error.code) \(error.domain ?? "-") \(error.domainCode ?? 0)")
    }
  }
}
