import Cryptography
import StoreContract

/// Seals some values of a column again, in a transaction.
struct ResealedBatch {
  private let sealing: StoreSealing
  private let property: StoreSealing.Property
  private let selection: String
  private let update: String

  private static let valuesTogether = 500

  init(
    _ versionCheck: String, _ sealing: StoreSealing, _ property: StoreSealing.Property, _ table: String,
    _ column: String
  ) {
    (self.sealing, self.property) = (sealing, property)
    let number = "substring(\(column.quoted), \(ValueSealer.keyPlace(property) + 1), 4)"
    selection =
      "SELECT _id, \(column.quoted) FROM \(table.quoted) WHERE \(versionCheck) AND _id > $1"
      + " AND \(column.quoted) IS NOT NULL AND \(number) <> $2::bytea ORDER BY _id"
      + " LIMIT \(Self.valuesTogether) FOR UPDATE"
    update =
      "UPDATE \(table.quoted) SET \(column.quoted) = v.c0"
      + " FROM unnest($1::bigint[], $2::bytea[]) AS v(id, c0)"
      + " WHERE _id = v.id"
  }

  /// - Returns: The number of the last object, and how many values were sealed; nil where there is none left.
  func reseal(_ connection: ServerConnection, after last: Int64) throws -> (last: Int64, count: Int)? {
    let current = try sealing.current.number
    let rows = try connection.run(
      selection, [.number(last), .bytes(ServerParameter.bigEndian(current))])
    if rows.count == 0 { return nil }
    let sealer = ValueSealer(sealing)
    var values = ServerArray(of: .sealed)
    var references: [Int64] = []
    for row in 0..<rows.count {
      let reference = rows.number(row, 0)
      let plain = try sealer.open(rows.bytes(row, 1), property, of: reference)
      let sealed = try plain.withUnsafeBytes { try sealer.seal($0, property, of: reference) }
      sealed.withUnsafeBytes { values.values.append($0) }
      references.append(reference)
    }
    try connection.run(update, [.numbers(references), values.parameter])
    return (references.last ?? last, rows.count)
  }
}
