import CipherDatabase
import Locks
import ObjectModel
import StoreContract

/// The first transaction of a store whose contents come from elsewhere: all objects, as inserted.
struct HistoryContents {
  /// More gaps between numbers than these would take memory, and tell nobody anything: a new store has no
  /// reader yet.
  private static let mostRuns = 1 << 16

  private let connection: Connection
  private let schema: StoreSchema

  init(_ connection: Connection, _ schema: StoreSchema) {
    self.connection = connection
    self.schema = schema
  }

  /// One statement for each entity, and two.
  func record() throws {
    var changes = HistoryChanges()
    for entity in schema.model.entities where !entity.isAbstract {
      guard try add(entity, to: &changes) else { return }
    }
    try HistoryTable(connection, schema, Locked(nil)).append(
      changes, HistoryValues(), TransactionOrigin.current, .none)
  }

  /// - Returns: False where there are too many runs.
  private func add(_ entity: EntityDescription, to changes: inout HistoryChanges) throws -> Bool {
    let number = schema.entityNumbers[entity.index]
    let group = HistoryChanges.Group(kind: .insert, entity: number)
    let rows = try connection.prepare(
      "SELECT _id FROM \(schema.table(entity).name.quoted) WHERE _entity = \(number) ORDER BY _id")
    var run: Range<Int64>?
    while try rows.step() {
      let reference = rows.int64(0)
      if let known = run, known.upperBound == reference {
        run = known.lowerBound..<reference + 1
        continue
      }
      if let run { changes.add(run, to: group) }
      run = reference..<reference + 1
      if changes.runCount > Self.mostRuns { return false }
    }
    if let run { changes.add(run, to: group) }
    return true
  }
}
