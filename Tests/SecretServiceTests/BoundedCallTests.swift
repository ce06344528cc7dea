import CLibSecret
import Glibc
import StoreKeyring
import Testing

@testable import SecretService

@Suite("A call with a deadline")
struct BoundedCallTests {
  /// Makes cancelling the call block, as libsecret does while it waits for the portal.
  private static func blockCancelling(_ cancellable: BoundedCall.Cancellable) {
    let block: @convention(c) (gpointer?, gpointer?) -> Void = { _, _ in sleep(30) }
    g_signal_connect_data(
      cancellable.pointer, "cancelled", unsafeBitCast(block, to: GCallback.self), nil, nil,
      GConnectFlags(rawValue: 0))
  }

  @Test("ends at its deadline where neither the call nor its cancelling ever ends", .timeLimit(.minutes(1)))
  func deadline() async throws {
    let clock = ContinuousClock()
    let start = clock.now
    let error = await #expect(throws: KeyringError.self) {
      try await BoundedCall.run(within: .milliseconds(200)) { cancellable in
        Self.blockCancelling(cancellable)
        sleep(30)
      }
    }
    #expect(error?.code == .timedOut)
    #expect(clock.now - start < .seconds(25))
  }

  @Test("cancelling the task ends the call at once where its cancelling never ends", .timeLimit(.minutes(1)))
  func cancelled() async throws {
    let task = Task {
      try await BoundedCall.run(within: .seconds(50)) { cancellable in
        Self.blockCancelling(cancellable)
        sleep(30)
      }
    }
    try await Task.sleep(for: .milliseconds(100))
    let clock = ContinuousClock()
    let start = clock.now
    task.cancel()
    let error = await #expect(throws: KeyringError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(clock.now - start < .seconds(25))
  }
}
