import NIOHTTP1

/// Which requests of a page that shows a store are answered.
///
/// Only this machine reaches the port, but every user and every page in the browser does. So the path
/// begins with a secret, which only the terminal has shown; a name that a stranger's DNS leads here
/// is refused, and so is what a page of another origin sends.
struct RequestGate: Sendable {
  let token: String
  let port: Int

  /// 258 bits of the system's random numbers, in letters and digits that a path can have.
  static func newToken() -> String {
    var generator = SystemRandomNumberGenerator()
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return String((0..<43).map { _ in letters[Int(generator.next(upperBound: UInt64(letters.count)))] })
  }

  /// What a request's target has behind the secret and its slash; nil for a request that gets nothing.
  func target(of head: HTTPRequestHead) -> Substring? {
    let (hosts, origins) = (head.headers["Host"], head.headers["Origin"])
    let sites = head.headers["Sec-Fetch-Site"]
    guard hosts.count == 1, hosts.allSatisfy(isOwn),
      origins.allSatisfy({ $0.hasPrefix("http://") && isOwn(String($0.dropFirst(7))) }),
      sites.allSatisfy({ ["same-origin", "none"].contains($0) })
    else { return nil }
    let target = head.uri.utf8
    guard target.count >= token.utf8.count + 2, target.first == UInt8(ascii: "/") else { return nil }
    let rest = target.dropFirst()
    // Takes the same time for every text of the secret's length.
    let isToken = zip(token.utf8, rest).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    let behind = rest.dropFirst(token.utf8.count)
    guard isToken, behind.first == UInt8(ascii: "/") else { return nil }
    return Substring(behind.dropFirst())
  }

  private func isOwn(_ host: String) -> Bool { ["127.0.0.1:\(port)", "localhost:\(port)"].contains(host) }
}
