import FlyingFox
import Foundation

/// Which requests of a page that shows a store are answered.
///
/// Only this machine reaches the port, but every user and every page in the browser does. So the path
/// begins with a secret, which only the terminal has shown; a name that a stranger's DNS leads here
/// is refused, and so is what a page of another origin sends.
struct RequestGate {
  let token: String
  let port: UInt16

  /// 256 bits of the system's random numbers, in letters and digits that a path can have.
  static func newToken() -> String {
    var generator = SystemRandomNumberGenerator()
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return String((0..<43).map { _ in letters[Int(generator.next(upperBound: UInt64(letters.count)))] })
  }

  /// The path behind the secret, without a slash in front; nil for a request that gets nothing.
  func path(of request: HTTPRequest) -> String? {
    guard let host = request.headers[.host], isOwn(host) else { return nil }
    if let origin = request.headers[HTTPHeader("Origin")] {
      guard origin.hasPrefix("http://"), isOwn(String(origin.dropFirst(7))) else { return nil }
    }
    if let site = request.headers[HTTPHeader("Sec-Fetch-Site")], !["same-origin", "none"].contains(site) {
      return nil
    }
    let parts = request.path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: true)
    guard let first = parts.first, isToken(first) else { return nil }
    return parts.count > 1 ? String(parts[1]) : ""
  }

  private func isOwn(_ host: String) -> Bool { ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host) }

  /// Takes the same time for every text of the secret's length.
  private func isToken(_ text: Substring) -> Bool {
    let (own, given) = (Array(token.utf8), Array(text.utf8))
    return own.count == given.count && zip(own, given).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
