/// How many statements each phase may issue: what does not depend on the machine.
package struct StatementLimits {
  private let workload: Workload

  package init(_ workload: Workload) { self.workload = workload }

  private func most(_ phase: Phase, _ path: String) -> Int? {
    let (books, authors) = (Int(workload.books), Int(workload.authors))
    let (tags, picks) = (Int(workload.tags), workload.picks)
    switch (path, phase) {
    case ("managed", .open): return 16
    case ("managed", .reopen): return 17
    // A row and three links each, and a few statements around them.
    case ("managed", .saveAll): return books * 4 + authors + tags + 50
    case ("managed", .singleSaves), ("managed", .singleSavesFull): return Int(workload.singleSaves) * 8 + 50
    case ("managed", .fetchAll), ("managed", .fetchFaults): return 1
    case ("managed", .byID), ("managed", .byISBN): return picks
    case ("managed", .byIDHit): return 0
    case ("managed", .filtered), ("bulk", .filtered): return Int(workload.filters)
    case ("managed", .toMany): return authors * 2
    case ("managed", .toManyPrefetched): return 3
    case ("managed", .manyToMany): return tags * 2
    case ("managed", .manyToManyLive), ("bulk", .manyToMany): return tags
    case ("managed", .change): return picks + 3
    case ("managed", .delete): return picks * 2 + 5
    case ("managed", .average): return Int(workload.averages)
    case ("bulk", .change): return 3
    case ("bulk", .delete): return 6
    case ("bulk", .fetchAll), ("bulk", .toManyPrefetched), ("columns", .fetchAll): return 2
    case ("bulk", .bulkInsert): return books / 16 + books * 3 / 45 + authors / 16 + tags / 16 + 50
    default: return nil
    }
  }

  /// - Throws: when a phase issued more statements than it may.
  package func check(_ measurements: [Measurement]) throws {
    for measurement in measurements {
      guard let phase = Phase(rawValue: measurement.phase), let count = measurement.statements,
        let most = most(phase, measurement.path)
      else { continue }
      if count > most {
        throw Rounds.Failure(
          description:
            "\(measurement.phase) \(measurement.path) issued \(count) statements; \(most) are enough")
      }
    }
  }
}
