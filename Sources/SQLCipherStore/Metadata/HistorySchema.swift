/// The tables of the history.
enum HistorySchema {
  static let transactions = "_transaction"
  static let creation = [
    "CREATE TABLE \(transactions) (_number INTEGER PRIMARY KEY NOT NULL, _fingerprint BLOB NOT NULL,"
      + " _time REAL NOT NULL, _author TEXT, _context TEXT, _program TEXT NOT NULL,"
      + " _process INTEGER NOT NULL, _properties INTEGER NOT NULL, _first INTEGER NOT NULL,"
      + " _count INTEGER NOT NULL, _total INTEGER NOT NULL, _changes BLOB, _values BLOB)",
    "CREATE TABLE _consumer (_name TEXT PRIMARY KEY NOT NULL, _number INTEGER NOT NULL, _span REAL NOT NULL,"
      + " _seen REAL NOT NULL) WITHOUT ROWID",
  ]
}
