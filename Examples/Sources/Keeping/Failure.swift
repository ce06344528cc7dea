import ArgumentParser
import Foundation

/// Why a command could not do what it was asked: a sentence for whoever typed it, and the program's
/// exit code.
package struct Failure: Error, CustomStringConvertible {
  /// Programs of their own may tell these apart.
  package enum Code: Int32, Sendable {
    /// What the command names is not there, or it was called off.
    case nothingDone = 1
    /// The keyring has no key of the store: it was lost, or the store comes from another machine.
    case keyLost = 2
    /// The keyring cannot be asked: locked, or none runs.
    case keyringUnavailable = 3
    /// The file is damaged, in use or no store, or the disk failed.
    case store = 4
  }

  package let code: Code
  package let description: String

  package init(_ code: Code, _ description: String) {
    (self.code, self.description) = (code, description)
  }

  /// Runs a command, and ends the program with the code of what went wrong.
  @MainActor package static func reporting(_ command: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let failure as Failure {
      FileHandle.standardError.write(Data("\(command): \(failure)\n".utf8))
      throw ExitCode(failure.code.rawValue)
    } catch let failure where Failure(of: failure) != nil {
      let failure = Failure(of: failure)
      FileHandle.standardError.write(Data("\(command): \(failure?.description ?? "")\n".utf8))
      throw ExitCode(failure?.code.rawValue ?? Code.store.rawValue)
    }
  }
}
