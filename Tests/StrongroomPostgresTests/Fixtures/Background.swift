import Foundation
import Locks

/// What a thread of its own does: those of the tests are too few for work that waits for other work.
final class Background<Value: Sendable>: Sendable {
  private let result = Locked<Result<Value, any Error>?>(nil)

  init(_ body: @escaping @Sendable () throws -> Value) {
    let result = result
    Thread.detachNewThread {
      let found = Result { try body() }
      result.withLock { $0 = found }
    }
  }

  var isDone: Bool { result.withLock { $0 != nil } }

  /// Waits for its end.
  func value() throws -> Value {
    while true {
      if let found = result.withLock({ $0 }) { return try found.get() }
      usleep(5_000)
    }
  }
}
