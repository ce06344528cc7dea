import CipherDatabase

/// Links on their way into one join table.
final class LinkFilling {
  struct Link {
    let source: Int64
    let target: Int64
    let position: Int64
    let inversePosition: Int64
  }

  private let connection: Connection
  private let table: JoinTable
  private var pending: [Link] = []

  init(_ table: JoinTable, _ connection: Connection) {
    self.table = table
    self.connection = connection
  }

  func add(_ link: Link) throws {
    pending.append(link)
    if pending.count == JoinTable.rowsTogether { try flush() }
  }

  func place(source: Int64, target: Int64, inversePosition: Int64) throws {
    try flush()
    let statement = try connection.cached(table.placing)
    statement.bind(1, inversePosition)
    statement.bind(2, source)
    statement.bind(3, target)
    try statement.run()
  }

  func flush() throws {
    if pending.isEmpty { return }
    let statement = try connection.cached(table.placedInsertion(rows: pending.count))
    var parameter: Int32 = 1
    func bind(_ value: Int64) {
      statement.bind(parameter, value)
      parameter += 1
    }
    for link in pending {
      bind(link.source)
      bind(link.target)
      if table.hasPosition { bind(link.position) }
      if table.hasInversePosition { bind(link.inversePosition) }
    }
    try statement.run()
    pending.removeAll(keepingCapacity: true)
  }
}

extension JoinTable {
  fileprivate var placing: String {
    "UPDATE \(name.quoted) SET _inverse_position = ? WHERE _source = ? AND _target = ?"
  }

  /// For each link in turn source, destination, and its place in each order that is stored.
  fileprivate func placedInsertion(rows: Int) -> String {
    var columns = ["_source", "_target"]
    if hasPosition { columns.append("_position") }
    if hasInversePosition { columns.append("_inverse_position") }
    let row = "(" + columns.map { _ in "?" }.joined(separator: ", ") + ")"
    return "INSERT OR IGNORE INTO \(name.quoted) (\(columns.joined(separator: ", "))) VALUES "
      + Array(repeating: row, count: rows).joined(separator: ", ")
  }
}
