import Foundation
import Locks

/// The key and format that opened a store, shared by the steps of one opening so that only the
/// first step reads the vaults.
///
/// It is a first guess, never an authority: a step whose file does not open with it, since the
/// file was replaced or its key was rotated meanwhile, reads the vaults again.
package final class KnownCipher: Sendable {
  private struct State: Sendable {
    var cipher: StoreCipher?
    var isEnded = false
  }

  private let state: Locked<State>

  package init() { state = Locked(State()) }

  init(_ known: StoreCipher) { state = Locked(State(cipher: known)) }

  /// What opened a store; nil for a store with another UUID, whose key is another one.
  func cipher(of store: UUID) -> StoreCipher? {
    state.withLock { $0.cipher?.store == store ? $0.cipher : nil }
  }

  func remember(_ found: StoreCipher) { state.withLock { if !$0.isEnded { $0.cipher = found } } }

  /// Ends the opening: whatever opens the store later with the same description reads the vaults.
  package func end() { state.withLock { $0 = State(isEnded: true) } }
}
