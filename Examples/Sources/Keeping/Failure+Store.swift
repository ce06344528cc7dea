import StoreKeyring
import Strongroom
import StrongroomData

extension Failure {
  /// What an error of Strongroom's means to the user; nil for errors of others.
  package init?(of error: any Error) {
    switch error {
    case let error as SwiftDataError:
      if let cause = error.cause, let failure = Failure(of: cause) {
        self = failure
      } else {
        self.init(.store, error.message)
      }
    case let error as StoreError where error.code == .keyMissing || error.code == .wrongKey:
      self.init(.keyLost, error.message)
    case let error as StoreError where error.code == .outcomeUnknown:
      self.init(.store, "the disk failed while it was saved; make room on it, and try again")
    case let error as StoreError: self.init(.store, error.message)
    case let error as ContextError: self.init(.store, error.message)
    case let error as KeyringError where error.code == .recoveryCodeInvalid:
      self.init(.keyLost, error.message)
    case let error as KeyringError: self.init(.keyringUnavailable, error.message)
    default: return nil
    }
  }

  /// Whether an error of Strongroom's says that the keyring is there and was not unlocked.
  package static func isLocked(_ error: any Error) -> Bool {
    switch error {
    case let error as SwiftDataError: error.cause.map(isLocked) ?? false
    case let error as StoreError: error.cause.map(isLocked) ?? false
    case let error as KeyringError: error.code == .vaultLocked || error.code == .promptDismissed
    default: false
    }
  }
}
