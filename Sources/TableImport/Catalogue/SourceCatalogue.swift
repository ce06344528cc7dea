import CipherDatabase

/// The tables of one or several files, and the database that has them.
struct SourceCatalogue {
  let database: PlainDatabase
  var tables: [SourceTable] = []
  /// What was left out, one sentence each.
  var notes: [String] = []
  /// Lines that are no rows.
  var faults: [TableImportFault] = []
  /// How many such lines there are; not all of them are listed.
  var faultCount = 0

  /// The most columns of a table: a store's row has three more, and the library takes 999 values in
  /// a statement.
  static let mostColumns = 900
  private static let mostListedFaults = 10_000

  init(_ database: PlainDatabase) { self.database = database }

  mutating func add(_ fault: TableImportFault) {
    faultCount += 1
    if faults.count < Self.mostListedFaults { faults.append(fault) }
  }

  func index(of name: String) -> Int? { tables.firstIndex { $0.name.isSame(as: name) } }
}
