import Locks
import ObjectModel
import StoreContract

/// Hands out reference numbers, in blocks that are reserved on the server: none is given twice, and single
/// numbers cost nothing.
final class ServerSequence: Sendable {
  private struct Block {
    var next: Int64 = 1
    var end: Int64 = 1  // exclusive
    var size: Int64 = 32

    /// Takes so many numbers, and returns the first.
    mutating func take(_ count: Int64) -> Int64 {
      defer { next += count }
      return next
    }
  }

  private static let largestBlock: Int64 = 4096
  private struct Blocks {
    var byRoot: [String: Block] = [:]  // by the root entity's name
    /// That of the primary that gave them.
    var timeline: Int?
  }

  private let blocks = Locked(Blocks())

  /// Numbers for objects of the entities, in their order.
  ///
  /// No statement while a block lasts, else one for each hierarchy.
  func take(_ entities: [EntityDescription], in pool: ServerPool) throws -> [Int64] {
    let runs = Self.runs(entities)
    return try blocks.withLock { blocks in
      // A server that was promoted may give them again, where it lost what its predecessor had acknowledged.
      if blocks.timeline != pool.timeline { blocks = Blocks(timeline: pool.timeline) }
      for (root, count) in Self.wanted(runs) {
        var block = blocks.byRoot[root] ?? Block()
        if block.end - block.next >= count { continue }
        let size = max(count, block.size)
        let end = try pool.apart { try Self.reserve(size, root, $0) } + 1
        if end - size != block.end { block.next = end - size }
        block.end = end
        block.size = min(block.size * 4, Self.largestBlock)
        blocks.byRoot[root] = block
      }
      var numbers: [Int64] = []
      numbers.reserveCapacity(entities.count)
      for (root, run) in runs {
        let start = blocks.byRoot[root, default: Block()].take(run)
        numbers += start..<start + run
      }
      return numbers
    }
  }

  /// How many numbers of each hierarchy.
  private static func wanted(_ runs: [(root: String, count: Int64)]) -> [(root: String, count: Int64)] {
    if runs.count < 2 { return runs }
    return Dictionary(runs, uniquingKeysWith: +).map { (root: $0.key, count: $0.value) }
  }

  /// How often one entity follows itself, with the name of its root.
  private static func runs(_ entities: [EntityDescription]) -> [(root: String, count: Int64)] {
    var runs: [(root: String, count: Int64)] = []
    var start = 0
    while start < entities.count {
      let entity = entities[start]
      var end = start + 1
      while end < entities.count, entities[end] === entity { end += 1 }
      runs.append((entity.root.name, Int64(end - start)))
      start = end
    }
    return runs
  }

  /// Keeps others from taking numbers of an entity's hierarchy until the end of the transaction.
  ///
  /// One statement.
  /// - Returns: The last number that was given out.
  func lock(_ entity: EntityDescription, _ connection: ServerConnection) throws -> Int64 {
    try Self.reserve(0, entity.root.name, connection)
  }

  /// Says that all numbers up to one are given out, with the next statement whose answer is waited for.
  func advance(_ entity: EntityDescription, to last: Int64, _ connection: ServerConnection) {
    connection.add(
      "UPDATE _sequence SET last = $2 WHERE entity = $1", [.text(entity.root.name), .number(last)])
  }

  /// The greatest number that a block ends with: far enough from `Int64.max` that no sum overflows.
  private static let greatest: Int64 = 1 << 62

  /// - Returns: The last number of the block.
  /// - Throws: `fileDamaged` for a number that no block has.
  private static func reserve(_ count: Int64, _ root: String, _ connection: ServerConnection) throws -> Int64
  {
    let last = try connection.run(
      "INSERT INTO _sequence VALUES ($1, $2) ON CONFLICT (entity) DO UPDATE SET last = _sequence.last + $2"
        + " RETURNING last", [.text(root), .number(count)]
    ).number(0, 0)
    guard last >= count, last <= greatest else {
      throw StoreError(
        .fileDamaged,
        "the table _sequence has \(last) as the last number of \(root), which the store does not give; set it"
          + " to the greatest _id of the table")
    }
    return last
  }
}
