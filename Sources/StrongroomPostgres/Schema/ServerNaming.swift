import StoreContract

/// Gives tables, columns and constraints names that are unique, and no longer than the server's 63 bytes.
///
/// A leading underscore is the store's own, and `pg_` the server's: an underscore is put before a
/// user's. The same model gives the same names.
struct ServerNaming {
  private static let longest = 63
  private var taken: Set<String>

  init(reserved: Set<String> = []) { taken = reserved }

  mutating func unique(_ wanted: String) -> String {
    own(wanted.hasPrefix("_") || wanted.hasPrefix("pg_") ? "_" + wanted : wanted)
  }

  /// For the store's own names, which may begin with an underscore.
  mutating func own(_ wanted: String) -> String {
    var name = Self.cut(wanted, to: Self.longest)
    var number = 2
    while !taken.insert(name).inserted {
      let end = "_\(number)"
      name = Self.cut(wanted, to: Self.longest - end.utf8.count) + end
      number += 1
    }
    return name
  }

  /// The longest beginning of whole characters.
  static func cut(_ text: String, to count: Int) -> String {
    var (result, length) = ("", 0)
    for character in text {
      length += character.utf8.count
      if length > count { break }
      result.append(character)
    }
    return result.isEmpty ? "_" : result
  }
}

extension String {
  /// As a name in SQL.
  var quoted: String {
    if !utf8.contains(UInt8(ascii: "\"")) { return "\"\(self)\"" }
    // By scalars: a mark behind a quote makes one character of the two, which is no quote any more.
    let scalars = unicodeScalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] }
    return "\"\(String(String.UnicodeScalarView(scalars)))\""
  }
}
