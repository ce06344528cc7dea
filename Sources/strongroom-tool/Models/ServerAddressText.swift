import Foundation

/// The address of a server as it is on the command line.
struct ServerAddressText {
  private let text: String

  /// Nil for a path.
  init?(_ text: String) {
    guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else { return nil }
    self.text = text
  }

  /// The passwords in it, as they are written there.
  var passwords: [String] {
    let parts = text.split(separator: "?", maxSplits: 1)
    let place = parts[0].split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)[2]
    var passwords: [Substring] = []
    let user = place.lastIndex(of: "@").map { place[..<$0] } ?? ""
    if let colon = user.firstIndex(of: ":") { passwords.append(user[user.index(after: colon)...]) }
    for item in parts.dropFirst().first?.split(separator: "&") ?? [] {
      for name in ["password=", "sslpassword="] where item.hasPrefix(name) {
        passwords.append(item.dropFirst(name.count))
      }
    }
    return passwords.filter { !$0.isEmpty }.map(String.init)
  }

  /// The texts of a command line without the passwords of the addresses among them.
  static func redacted(_ text: String, _ arguments: [String] = CommandLine.arguments) -> String {
    let passwords = arguments.compactMap(Self.init).flatMap(\.passwords)
    return passwords.reduce(text) { $0.replacing($1, with: "…") }
  }
}
