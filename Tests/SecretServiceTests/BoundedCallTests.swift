import CLibSecret
import Foundation
import Locks
import StoreKeyring
import Testing

@testable import SecretService

@Suite("A call with a deadline", .timeLimit(.minutes(30)))
struct BoundedCallTests {
  /// A keyring that answers neither a call nor its cancelling until a test is over.
  ///
  /// The tests look at whether it has answered, not at a clock: a busy machine resumes them late.
  private final class SilentKeyring: Sendable {
    private let isOver = DispatchSemaphore(value: 0)
    private let answers = Locked(0)

    var hasAnswered: Bool { answers.withLock { $0 > 0 } }

    /// Blocks until the test is over, and for twenty minutes at most.
    func answer() {
      _ = isOver.wait(timeout: .now() + 1200)
      answers.withLock { $0 += 1 }
      isOver.signal()
    }

    func end() { isOver.signal() }

    /// Makes cancelling the call block, as libsecret does while it waits for the portal.
    func blockCancelling(_ cancellable: BoundedCall.Cancellable) {
      let block: @convention(c) (gpointer?, gpointer?) -> Void = { _, keyring in
        keyring.map { Unmanaged<SilentKeyring>.fromOpaque($0).takeUnretainedValue().answer() }
      }
      g_signal_connect_data(
        cancellable.pointer, "cancelled", unsafeBitCast(block, to: GCallback.self),
        Unmanaged.passRetained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }
  }

  @Test("ends at its deadline where neither the call nor its cancelling ever ends")
  func deadline() async throws {
    let keyring = SilentKeyring()
    defer { keyring.end() }
    let error = await #expect(throws: KeyringError.self) {
      try await BoundedCall.run(within: .milliseconds(200)) { cancellable in
        keyring.blockCancelling(cancellable)
        keyring.answer()
      }
    }
    #expect(error?.code == .timedOut)
    #expect(!keyring.hasAnswered)
  }

  @Test("cancelling the task ends the call at once where its cancelling never ends")
  func cancelled() async throws {
    let keyring = SilentKeyring()
    defer { keyring.end() }
    let task = Task {
      try await BoundedCall.run(within: .seconds(1000)) { cancellable in
        keyring.blockCancelling(cancellable)
        keyring.answer()
      }
    }
    try await Task.sleep(for: .milliseconds(100))
    task.cancel()
    let error = await #expect(throws: KeyringError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(!keyring.hasAnswered)
  }
}
