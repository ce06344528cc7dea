import Foundation

/// A short random walk that follows from its number alone.
protocol ShortCase {
  var steps: Int { get }
  var saves: Int { get }
  /// Takes the steps; throws what differs.
  func run() throws
  /// What is printed of a difference.
  func account(of error: any Error) -> String
  func close()
}

extension Report {
  private static let mostDifferences = 100

  /// Runs cases with the numbers from a seed on, until very many differ.
  init(of count: Int, from seed: UInt64, _ make: (UInt64) async throws -> any ShortCase) async throws {
    for number in 0..<UInt64(count) where differences < Self.mostDifferences {
      let one = try await make(seed &+ number)
      do { try one.run() } catch {
        differences += 1
        FileHandle.standardOutput.write(Data((one.account(of: error) + "\n\n").utf8))
      }
      steps += one.steps
      saves += one.saves
      one.close()
    }
  }
}
