import Foundation
import StoreContract

extension PostgresStore {
  /// What an open store knows of its schema on the server; a change makes another one.
  final class Opened: Sendable {
    let identifier: UUID
    /// That of the identifier.
    let channel: String
    let storeEntities: [StoreEntity]
    let schema: ServerSchema
    let pool: ServerPool
    /// None for a moment that does not change.
    let listener: ServerListener?
    /// The program's metadata.
    let programs: [String: String]
    /// The number that the model's names have in the history.
    let properties: Int64
    /// The properties whose values the history records.
    let recorded: RecordedProperties
    /// What seals and opens values; nil where the model seals none.
    let sealing: StoreSealing?
    /// What each read has among its conditions; a migration waits for the end of a pinned moment.
    let versionCheck: String

    init(
      identifier: UUID, storeEntities: [StoreEntity], schema: ServerSchema, pool: ServerPool,
      listener: ServerListener? = nil, programs: [String: String], properties: Int64,
      recorded: RecordedProperties, sealing: StoreSealing?
    ) {
      self.identifier = identifier
      channel = PostgresStore.channel(identifier)
      (self.storeEntities, self.schema) = (storeEntities, schema)
      (self.pool, self.listener, self.programs) = (pool, listener, programs)
      (self.properties, self.recorded, self.sealing) = (properties, recorded, sealing)
      versionCheck = pool.isPinned ? "true" : schema.versionCheck
    }

    /// The same over these connections, with what hears of others' saves there.
    func with(_ pool: ServerPool, _ listener: ServerListener?) -> Opened { with(pool, listener, programs) }

    /// The same with other metadata of the program.
    func with(programs: [String: String]) -> Opened { with(pool, listener, programs) }

    private func with(
      _ pool: ServerPool, _ listener: ServerListener?, _ programs: [String: String]
    ) -> Opened {
      Opened(
        identifier: identifier, storeEntities: storeEntities, schema: schema, pool: pool, listener: listener,
        programs: programs, properties: properties, recorded: recorded, sealing: sealing)
    }
  }
}
