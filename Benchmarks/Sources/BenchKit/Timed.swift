import CLibrary
import Foundation

/// The name under which an instruction counter reports what is timed next; nil where it does not
/// count.
///
/// nonisolated(unsafe): the benchmark runs one phase after the other.
package nonisolated(unsafe) var countedName: String?

/// Runs what a phase times.
///
/// An instruction counter counts the body alone.
/// - Returns: What the body returns, and the seconds it took.
package func timed<R>(_ body: () throws -> R) rethrows -> (result: R, seconds: Double) {
  if countedName != nil { lm_count_start() }
  defer { stopCounting() }
  let start = now()
  let result = try body()
  return (result, now() - start)
}

/// The same for a body that waits.
package func timed<R>(
  isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R
) async rethrows -> (result: R, seconds: Double) {
  if countedName != nil { lm_count_start() }
  defer { stopCounting() }
  let start = now()
  let result = try await body()
  return (result, now() - start)
}

private func stopCounting() {
  if let name = countedName { lm_count_stop(name) }
  countedName = nil
}
