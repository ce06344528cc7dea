import CipherDatabase
import ObjectModel

/// Looks up of which entity the row of a key is; one query for each root entity, prepared once.
final class AppleObjects {
  private let database: PlainDatabase
  private let layout: AppleLayout
  private var queries: [PlainQuery?]

  init(_ database: PlainDatabase, _ layout: AppleLayout) throws {
    self.database = database
    self.layout = layout
    queries = Array(repeating: nil, count: layout.model.entities.count)
    for root in layout.roots {
      guard let table = layout.table(of: root) else { continue }
      queries[root.index] = try database.query(
        "SELECT Z_ENT FROM \(PlainDatabase.quoted(table)) WHERE Z_PK = ?")
    }
  }

  /// The entity of a row; nil where there is no row, or one of no entity that has objects.
  func entity(of key: Int64, in root: EntityDescription) throws -> EntityDescription? {
    guard let query = queries[root.index] else { return nil }
    query.restart(key)
    guard try query.step(), let entity = layout.entities[query.integer(0)] else { return nil }
    return entity.root === root && !entity.isAbstract ? entity : nil
  }
}
