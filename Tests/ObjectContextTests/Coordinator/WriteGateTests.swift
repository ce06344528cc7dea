import Foundation
import Synchronization
import Testing

@testable import ObjectContext

@Suite("Writers and the mover of a store")
struct WriteGateTests {
  private final class Turns: Sendable {
    let gate = WriteGate()
    let isMoverHere = Atomic(false)
    let writers = Atomic(4)
    /// How many were still writing when the mover was done.
    let writersLeft = Atomic(-1)
  }

  @Test("a mover comes to its turn under threads that write all the time, also within writes")
  func turn() async throws {
    let turns = Turns()
    for _ in 0..<4 {
      Thread.detachNewThread {
        // Seconds of writing beside the mover, unless it is done before.
        var left = 1000
        while left > 0, turns.writersLeft.load(ordering: .sequentiallyConsistent) < 0 {
          if turns.isMoverHere.load(ordering: .sequentiallyConsistent) { left -= 1 }
          turns.gate.shared {
            usleep(1000)
            turns.gate.shared { _ = usleep(1000) }
          }
        }
        turns.writers.subtract(1, ordering: .sequentiallyConsistent)
      }
    }
    try await Task.sleep(for: .milliseconds(20))
    Thread.detachNewThread {
      turns.isMoverHere.store(true, ordering: .sequentiallyConsistent)
      turns.gate.exclusively {}
      turns.writersLeft.store(
        turns.writers.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
    }
    while turns.writers.load(ordering: .sequentiallyConsistent) > 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
    while turns.writersLeft.load(ordering: .sequentiallyConsistent) < 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(turns.writersLeft.load(ordering: .sequentiallyConsistent) == 4)
  }
}
