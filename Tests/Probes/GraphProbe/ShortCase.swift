import Foundation

/// A short random walk that follows from its number alone, and from the steps that are left out of it.
///
/// Steps that are left out draw the same random numbers as they would otherwise.
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
  typealias Make = (_ number: UInt64, _ leavingOut: Set<Int>) async throws -> any ShortCase
  private static let mostDifferences = 100

  /// Runs cases with the numbers from a seed on, until very many differ, and prints each that does
  /// with as few steps as show it.
  init(of count: Int, from seed: UInt64, _ make: Make) async throws {
    for number in 0..<UInt64(count) where differences < Self.mostDifferences {
      let one = try await make(seed &+ number, [])
      if Self.difference(one) != nil {
        differences += 1
        let account = try await Self.shortened(seed &+ number, steps: one.steps, make)
        FileHandle.standardOutput.write(Data((account + "\n\n").utf8))
      }
      steps += one.steps
      saves += one.saves
    }
  }

  /// What a case tells of its difference; nil where there is none.
  private static func difference(_ one: any ShortCase) -> String? {
    defer { one.close() }
    do { try one.run() } catch { return one.account(of: error) }
    return nil
  }

  /// Leaves out one step after the other, until none is left without which the case still differs.
  private static func shortened(_ number: UInt64, steps: Int, _ make: Make) async throws -> String {
    var (leftOut, account) = (Set<Int>(), difference(try await make(number, [])))
    var isShorter = true
    while isShorter {
      isShorter = false
      for step in (0...steps).reversed() where !leftOut.contains(step) {
        guard let shorter = difference(try await make(number, leftOut.union([step]))) else { continue }
        (isShorter, account) = (true, shorter)
        leftOut.insert(step)
      }
    }
    return account ?? "case \(number) differs only sometimes"
  }
}
