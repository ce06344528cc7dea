import CipherDatabase
import Foundation
import Locks
import ObjectModel
import StoreContract

extension SQLCipherStore {
  /// What an open store knows of its file; a change makes another one.
  final class Opened: Sendable {
    let session: OpenSession
    let schema: StoreSchema
    let plans: [SelectPlan]
    let fetchPlans: FetchPlanCache
    let destinationPlans: DestinationPlanCache
    let saveStatements: SaveStatements
    let storeEntities: [StoreEntity]
    let references: ReferenceSequence
    let metadata: [String: String]
    /// The number that the model's names have in the history; nil until it was read.
    let historyNames: Locked<Int64?>
    /// The properties whose values the history records.
    let recorded: RecordedProperties
    /// Whether the file has a newer version of the model than the program.
    let isOfNewerModel: Bool
    /// Whether the file has a history: one that an earlier version made, and that is open for reading, has
    /// none.
    let hasHistory: Bool

    var pool: ConnectionPool { session.pool }
    var identifier: UUID { session.store }

    init(
      session: OpenSession, schema: StoreSchema, plans: [SelectPlan], storeEntities: [StoreEntity],
      references: ReferenceSequence, metadata: [String: String],
      isOfNewerModel: Bool = false, hasHistory: Bool = false
    ) {
      self.isOfNewerModel = isOfNewerModel
      self.hasHistory = hasHistory
      self.session = session
      self.schema = schema
      self.plans = plans
      fetchPlans = FetchPlanCache()
      destinationPlans = DestinationPlanCache()
      saveStatements = SaveStatements(schema)
      self.storeEntities = storeEntities
      self.references = references
      self.metadata = metadata
      historyNames = Locked(nil)
      recorded = RecordedProperties(schema.model)
    }

    private init(_ other: Opened, _ session: OpenSession, _ metadata: [String: String]) {
      isOfNewerModel = other.isOfNewerModel
      hasHistory = other.hasHistory
      self.session = session
      schema = other.schema
      plans = other.plans
      fetchPlans = other.fetchPlans
      destinationPlans = other.destinationPlans
      saveStatements = other.saveStatements
      storeEntities = other.storeEntities
      references = other.references
      historyNames = other.historyNames
      recorded = other.recorded
      self.metadata = metadata
    }

    /// The same with another session: a new key, or a pinned connection.
    func with(_ session: OpenSession) -> Opened { Opened(self, session, metadata) }

    /// The same with other metadata.
    func with(_ metadata: [String: String]) -> Opened { Opened(self, session, metadata) }
  }
}
