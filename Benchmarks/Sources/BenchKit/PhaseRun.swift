import Foundation

/// What one run of a phase by one implementation brought.
package struct PhaseRun: Sendable {
  package var seconds: Double
  package var checksum: UInt64
  package var statements: Int?
  package var bytesPerObject: Double?

  package init(seconds: Double, checksum: UInt64, statements: Int? = nil, bytesPerObject: Double? = nil) {
    self.seconds = seconds
    self.checksum = checksum
    self.statements = statements
    self.bytesPerObject = bytesPerObject
  }
}

/// One implementation of the workload.
package protocol Contestant {
  /// The name in results: `limit`, `managed`, `typed`, `bulk`, `grdb`.
  var name: String { get }
  func supports(_ phase: Phase) -> Bool
  /// Makes the store that phases read, at a path without a file.
  func makeStore(at path: String) async throws
  /// Runs a phase on a store that nobody has open; opens it first, outside of the time taken.
  func run(_ phase: Phase, at path: String) async throws -> PhaseRun
}

/// Seconds since an arbitrary moment.
package func now() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
