import CipherDatabase
import Locks
import ObjectModel

/// Hands out reference numbers: blocks are reserved in the file, so that no process gets a number
/// twice and none is used again after a deletion; single numbers then cost nothing.
final class ReferenceSequence: Sendable {
  private struct Block {
    var next: Int64 = 1
    var end: Int64 = 1  // exclusive
    var size: Int64 = 32
  }

  private let entityNumbers: [Int64]
  private let blocks: Locked<[Int64: Block]> = Locked([:])  // by the root entity's number in the file
  private static let largestBlock: Int64 = 4096

  init(entityNumbers: [Int64]) { self.entityNumbers = entityNumbers }

  /// References for objects of the entities, in their order.
  func take(_ entities: [EntityDescription], in pool: ConnectionPool) throws -> [Int64] {
    try blocks.withLock { blocks in
      var wanted: [Int64: Int64] = [:]
      var run: (root: Int64, count: Int64) = (0, 0)
      for entity in entities {
        let root = entityNumbers[entity.root.index]
        if root != run.root {
          if run.count > 0 { wanted[run.root, default: 0] += run.count }
          run = (root, 0)
        }
        run.count += 1
      }
      if run.count > 0 { wanted[run.root, default: 0] += run.count }
      for (root, count) in wanted {
        var block = blocks[root] ?? Block()
        if block.end - block.next < count {
          let size = max(count, block.size)
          let start = try pool.write { try Self.reserve(size, root: root, $0) }
          // Unused numbers are returned only when no other process reserved in between.
          if start != block.end { block.next = start }
          block.end = start + size
          block.size = min(block.size * 4, Self.largestBlock)
        }
        blocks[root] = block
      }
      if wanted.count == 1, let (root, count) = wanted.first, let next = blocks[root]?.next {
        blocks[root]?.next += count
        return Array(next..<next + count)
      }
      return entities.map { entity in
        let root = entityNumbers[entity.root.index]
        defer { blocks[root]?.next += 1 }
        return blocks[root]?.next ?? 0
      }
    }
  }

  private static func reserve(_ count: Int64, root: Int64, _ connection: Connection) throws -> Int64 {
    try connection.transaction(.immediate) {
      let update = try connection.cached("UPDATE _sequence SET last = last + ?1 WHERE entity = ?2")
      update.bind(1, count)
      update.bind(2, root)
      try update.run()
      if connection.changes == 0 {
        let insert = try connection.cached("INSERT INTO _sequence (last, entity) VALUES (?1, ?2)")
        insert.bind(1, count)
        insert.bind(2, root)
        try insert.run()
      }
      let select = try connection.cached("SELECT last FROM _sequence WHERE entity = ?1")
      select.bind(1, root)
      defer { select.reset() }
      return try select.step() ? select.int64(0) - count + 1 : 1
    }
  }

  /// The last number given out, inside a transaction that keeps others from taking more.
  static func last(_ root: EntityDescription, _ connection: Connection, _ schema: StoreSchema) throws -> Int64
  {
    let select = try connection.cached("SELECT last FROM _sequence WHERE entity = ?1")
    select.bind(1, schema.entityNumbers[root.index])
    defer { select.reset() }
    return try select.step() ? select.int64(0) : 0
  }

  /// The last number given out in any hierarchy.
  static func last(_ connection: Connection) throws -> Int64 {
    let select = try connection.prepare("SELECT max(last) FROM _sequence")
    return try select.step() ? select.int64(0) : 0
  }

  /// Says that all numbers up to one are given out.
  static func advance(
    to last: Int64, _ root: EntityDescription, _ connection: Connection, _ schema: StoreSchema
  ) throws {
    let statement = try connection.cached("INSERT OR REPLACE INTO _sequence (entity, last) VALUES (?1, ?2)")
    statement.bind(1, schema.entityNumbers[root.index])
    statement.bind(2, last)
    try statement.run()
  }

  /// Gives unused numbers back, unless others were reserved after them.
  func giveBack(in pool: ConnectionPool) throws {
    try blocks.withLock { blocks in
      let unused = blocks.filter { $0.value.next < $0.value.end }
      blocks = [:]
      if unused.isEmpty { return }
      try pool.write { connection in
        try connection.transaction(.immediate) {
          let update = try connection.cached("UPDATE _sequence SET last = ?1 WHERE entity = ?2 AND last = ?3")
          for (root, block) in unused {
            update.bind(1, block.next - 1)
            update.bind(2, root)
            update.bind(3, block.end - 1)
            try update.run()
          }
        }
      }
    }
  }
}
