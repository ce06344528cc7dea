import Foundation

/// The address of a server as it is on the command line.
struct ServerAddressText {
  private let text: String

  /// Nil for a path.
  init?(_ text: String) {
    guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else { return nil }
    self.text = text
  }

  private var items: [Substring] {
    text.split(separator: "?", maxSplits: 1).dropFirst().first?.split(separator: "&") ?? []
  }

  private func value(_ name: String) -> Substring? {
    items.last { $0.hasPrefix(name) }?.dropFirst(name.count)
  }

  private static func first(_ names: [Substring?]) -> String? {
    names.compactMap { $0?.removingPercentEncoding }.first { !$0.isEmpty }
  }

  /// Nil where the address leaves it to the server's library.
  var database: String? {
    let path = text.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
    return Self.first([path.dropFirst(3).first, value("dbname=")])
  }

  /// What is at the address, in a word: its schema, or else its database.
  var name: String { Self.first([value("schema=")]) ?? database ?? "store" }

  private typealias Secret = (piece: String, redacted: String)

  /// The items that are passwords.
  private var secretItems: [Secret] {
    items.compactMap { item in
      let name = item.prefix { $0 != "=" }
      guard name.removingPercentEncoding?.hasSuffix("password") == true else { return nil }
      return (String(item), "\(name)=…")
    }
  }

  /// The pieces that may be the password of the user, from a colon to an @: a password that should have been
  /// percent-encoded may have an @ or a question mark of its own.
  private var secretPieces: [Secret] {
    let piece = text.drop { $0 != "/" }.drop { $0 != ":" }
    return piece.indices.filter { piece[$0] == "@" }.map { (String(piece[...$0]), ":…@") }
  }

  /// A text without the passwords of the addresses among the arguments.
  static func redacted(_ text: String, _ arguments: [String] = CommandLine.arguments) -> String {
    let addresses = arguments.compactMap { argument in
      argument.firstRange(of: /postgres(ql)?:\/\//).flatMap { Self(String(argument[$0.lowerBound...])) }
    }
    return [addresses.flatMap(\.secretItems), addresses.flatMap(\.secretPieces)]
      .flatMap { $0.sorted { $0.piece.count > $1.piece.count } }
      .reduce(text) { $0.replacing($1.piece, with: $1.redacted) }
  }
}
