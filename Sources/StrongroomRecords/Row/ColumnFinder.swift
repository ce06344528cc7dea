import ObjectModel

/// Finds columns by their coded names.
///
/// A type decodes and encodes its properties in one and the same order, so the column after the
/// last one is compared first; a dictionary is asked only where it is another.
struct ColumnFinder {
  private let table: RecordTable
  private let names: [String]
  private var next = 0
  private var hasRow = true

  init(_ table: RecordTable) {
    self.table = table
    names = table.names
  }

  /// Begins another row.
  mutating func start() { next = 0 }

  /// From now on no column is found.
  mutating func stop() {
    next = names.count
    hasRow = false
  }

  mutating func column(_ name: String) -> Int? {
    if next < names.count, names[next] == name {
      next += 1
      return next - 1
    }
    if !hasRow { return nil }
    // An optional property is looked up for null, and then for its value.
    if next > 0, names[next - 1] == name { return next - 1 }
    guard let found = table.ordinals[name] else { return nil }
    next = found + 1
    return found
  }
}
