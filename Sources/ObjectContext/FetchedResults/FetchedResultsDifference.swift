import Foundation

/// What became of one list of sections in another.
struct FetchedResultsDifference<T: ManagedObject> {
  private(set) var changes: [FetchedResultsChange<T>] = []

  init(from old: [FetchedResultsSection<T>], to new: [FetchedResultsSection<T>], changed: Set<ManagedObject>)
  {
    let (before, after) = (Self.places(old), Self.places(new))
    let oldIndices = Dictionary(
      before.enumerated().map { (ObjectIdentifier($0.element.0), $0.offset) },
      uniquingKeysWith: { first, _ in first })
    let newIDs = Set(after.map { ObjectIdentifier($0.0) })

    for (object, place) in before.reversed() where !newIDs.contains(ObjectIdentifier(object)) {
      changes.append(.delete(object, from: place))
    }
    let (oldNames, newNames) = (old.map(\.name), new.map(\.name))
    for (section, name) in oldNames.enumerated().reversed() where !newNames.contains(name) {
      changes.append(.deleteSection(section))
    }
    for (section, name) in newNames.enumerated() where !oldNames.contains(name) {
      changes.append(.insertSection(section))
    }
    var stayed: [(index: Int, old: Int)] = []
    for (index, item) in after.enumerated() {
      if let place = oldIndices[ObjectIdentifier(item.0)] {
        stayed.append((index, place))
      } else {
        changes.append(.insert(item.0, at: item.1))
      }
    }
    // What keeps its order among the others has not moved, so long as its section is the same.
    let steady = Self.steady(stayed, changed: { changed.contains(after[$0].0) }) { index, place in
      newNames[after[index].1.section] == oldNames[before[place].1.section]
    }
    var updates: [FetchedResultsChange<T>] = []
    for (position, item) in stayed.enumerated() {
      let (object, place) = after[item.index]
      if !steady[position] {
        changes.append(.move(object, from: before[item.old].1, to: place))
      } else if changed.contains(object) {
        updates.append(.update(object, at: place))
      }
    }
    changes += updates
  }

  private static func places(_ sections: [FetchedResultsSection<T>]) -> [(T, IndexPath)] {
    sections.enumerated().flatMap { section, own in
      own.objects.enumerated().map { ($0.element, IndexPath(item: $0.offset, section: section)) }
    }
  }

  /// Which of the objects that stayed have not moved.
  ///
  /// Unchanged ones keep their order among each other, so they have not; a changed one has not
  /// where it fits between them and stands in a longest run of those that fit.
  private static func steady(
    _ stayed: [(index: Int, old: Int)], changed: (Int) -> Bool, inSameSection: (Int, Int) -> Bool
  ) -> [Bool] {
    var result = stayed.map { inSameSection($0.index, $0.old) }
    func isRising(_ positions: [Int]) -> Bool {
      zip(positions, positions.dropFirst()).allSatisfy { stayed[$0].old < stayed[$1].old }
    }
    var positions = stayed.indices.filter { result[$0] }
    if isRising(positions) { return result }
    let unchanged = positions.filter { !changed(stayed[$0].index) }
    if isRising(unchanged) {
      var next = unchanged[...]
      var before = -1
      positions = positions.filter { position in
        if position == next.first {
          before = stayed[next.removeFirst()].old
          return true
        }
        return stayed[position].old > before
          && stayed[position].old < next.first.map { stayed[$0].old } ?? .max
      }
    }
    let longest = Set(longestRun(positions) { stayed[$0].old })
    for position in result.indices where result[position] { result[position] = longest.contains(position) }
    return result
  }

  /// A longest run of positions whose values rise.
  private static func longestRun(_ positions: [Int], _ value: (Int) -> Int) -> [Int] {
    var ends: [Int] = []  // by length: the position with the least value that ends a run
    var previous: [Int: Int] = [:]
    for position in positions {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if value(ends[middle]) < value(position) { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[position] = ends[low - 1] }
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var run: [Int] = []
    var last = ends.last
    while let position = last {
      run.append(position)
      last = previous[position]
    }
    return run
  }
}
