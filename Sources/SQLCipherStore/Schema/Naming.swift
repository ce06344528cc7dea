/// Gives tables, columns and indexes names that are unique as SQLite compares them: without regard
/// to ASCII case.
///
/// A name keeps its spelling where it can. A leading underscore is the store's own, so one is put
/// before a user's; `sqlite_` belongs to SQLite; a name that is taken gets `_2`, `_3` and so on.
/// The same model gives the same names.
struct Naming {
  private var taken: Set<String> = []

  init(reserved: [String] = []) { reserved.forEach { taken.insert($0.asciiLowercased) } }

  mutating func unique(_ wanted: String) -> String {
    var name = wanted
    if name.hasPrefix("_") || name.asciiLowercased.hasPrefix("sqlite_") { name = "_" + name }
    return own(name)
  }

  /// For the store's own names, which may begin with an underscore.
  mutating func own(_ wanted: String) -> String {
    var name = wanted
    var number = 2
    while !taken.insert(name.asciiLowercased).inserted {
      name = "\(wanted)_\(number)"
      number += 1
    }
    return name
  }
}

extension String {
  fileprivate var asciiLowercased: String {
    String(decoding: utf8.map { $0 >= 65 && $0 <= 90 ? $0 + 32 : $0 }, as: UTF8.self)
  }
}
