import CLibrary
import Foundation

/// Runs the limit and its contestants phase by phase, one right after the other, in several rounds.
package struct Rounds {
  let workload: Workload
  let limit: any Contestant
  let contestants: [any Contestant]
  let rounds: Int
  let folder: URL

  /// What went wrong in a run.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  package init(
    workload: Workload, limit: any Contestant, contestants: [any Contestant], rounds: Int, folder: URL
  ) {
    self.workload = workload
    self.limit = limit
    self.contestants = contestants
    self.rounds = rounds
    self.folder = folder
  }

  /// - Throws: `Failure` when checksums differ: no ratio is worth printing then.
  package func run(_ phases: [Phase]) async throws -> [Measurement] {
    let all = [limit] + contestants
    for contestant in all {
      if phases.allSatisfy({ $0.makesStore }) { continue }
      if FileManager.default.fileExists(atPath: template(contestant)) { continue }
      note("making the store of \(contestant.name)")
      try await contestant.makeStore(at: template(contestant))
    }
    var result: [Measurement] = []
    for phase in phases {
      let able = contestants.filter { $0.supports(phase) }
      guard !able.isEmpty else { continue }
      var runs: [[PhaseRun]] = Array(repeating: [], count: able.count + 1)
      for round in 1...rounds {
        note("\(phase.rawValue) \(phase.title), round \(round) of \(rounds)")
        for (index, contestant) in ([limit] + able).enumerated() {
          // Earlier rounds make what is made once a process.
          countedName = round == rounds && lm_is_counted() != 0 ? "\(phase.rawValue) \(contestant.name)" : nil
          runs[index].append(try await self.run(phase, contestant))
        }
      }
      for (index, contestant) in able.enumerated() {
        result.append(
          try Measurement(
            phase, contestant.name, limit: runs[0], own: runs[index + 1], workload.operations(phase)))
      }
    }
    note("")
    return result
  }

  private func template(_ contestant: any Contestant) -> String {
    folder.appendingPathComponent("\(contestant.name).store").path
  }

  private func run(_ phase: Phase, _ contestant: any Contestant) async throws -> PhaseRun {
    var path = template(contestant)
    if phase.makesStore || phase.changesStore {
      let copy = folder.appendingPathComponent("\(contestant.name).copy").path
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
      if phase.changesStore { try FileManager.default.copyItem(atPath: path, toPath: copy) }
      path = copy
    }
    settleHeap()
    return try await contestant.run(phase, at: path)
  }

  private func note(_ text: String) {
    guard isatty(2) != 0 else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
  }
}

extension Double {
  var finite: Double? { isFinite ? self : nil }
}

extension Measurement {
  /// What the runs of a phase come to.
  ///
  /// - Throws: `Rounds.Failure` when checksums differ: no ratio is worth printing then.
  package init(
    _ phase: Phase, _ name: String, limit: [PhaseRun], own: [PhaseRun], _ operations: Int
  ) throws {
    for (one, other) in zip(limit, own) where one.checksum != other.checksum {
      throw Rounds.Failure(
        description: "\(phase.rawValue): \(name) has checksum \(other.checksum), the limit \(one.checksum);"
          + " no ratio is printed")
    }
    let ratios = zip(own, limit).map { $0.seconds / $1.seconds }
    self.init(
      phase: phase.rawValue, path: name, ratio: ratios.median,
      spread: (ratios.max() ?? 0) - (ratios.min() ?? 0),
      bytesPerObject: own.compactMap(\.bytesPerObject).median.finite, statements: own.last?.statements,
      limitMicroseconds: limit.map(\.seconds).median / Double(operations) * 1e6,
      microseconds: own.map(\.seconds).median / Double(operations) * 1e6)
  }
}
