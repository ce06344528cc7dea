package import ObjectModel
import StoreContract

extension PostgresStore: NumberedStore {
  package func lastNumber(of root: EntityDescription) throws -> Int64 {
    try open.pool.read { connection in
      let rows = try connection.run("SELECT last FROM _sequence WHERE entity = $1", [.text(root.name)])
      return rows.count == 0 ? 0 : rows.number(0, 0)
    }
  }
}
