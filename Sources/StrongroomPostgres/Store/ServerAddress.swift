import Foundation
import StoreContract

/// What a description says of the server.
enum ServerAddress {
  /// Whether a part before the question mark is an address in which nobody can take a piece of a password for
  /// another part, since errors name those.
  static func isUnambiguous(_ address: Substring) -> Bool {
    guard let scheme = address.firstRange(of: "://"),
      ["postgres", "postgresql"].contains(address[..<scheme.lowerBound])
    else { return false }
    let rest = address[scheme.upperBound...].split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let place = rest[0].split(separator: "@", omittingEmptySubsequences: false)
    guard place.count <= 2, let host = place.last, rest.count == 1 || !rest[1].contains("@") else {
      return false
    }
    // An address of IPv6 has colons between its brackets.
    let end = host.lastIndex(of: "]").map { host[host.index(after: $0)...] } ?? host
    return end.split(separator: ":", omittingEmptySubsequences: false).dropFirst().allSatisfy {
      $0.allSatisfy(\.isNumber)
    }
  }

  /// The error for an address that libpq does not take; without the address, which may have a password.
  static let unreadable = ServerConnection.unreadableAddress

  /// - Throws: `StoreError` with code `invalidValue` where it has no address of a server, or a schema that no
  ///   server takes.
  static func check(_ description: PersistentStoreDescription) throws {
    guard let url = description.url, ["postgres", "postgresql"].contains(url.scheme ?? "") else {
      throw StoreError(.invalidValue, "give the address of the server: postgresql://user@host/database")
    }
    let schema = description.serverSchema
    guard (1...63).contains(schema.utf8.count), !schema.utf8.contains(0), !schema.hasPrefix("pg_"),
      schema != "$user"
    else {
      throw StoreError(
        .invalidValue, "a schema's name has 1 to 63 bytes, and begins neither with pg_ nor is it $user")
    }
  }
}

extension ServerPool {
  /// The connections to the server of a description, none of which is made yet.
  convenience init(_ description: PersistentStoreDescription) throws {
    try ServerAddress.check(description)
    self.init(
      description.url?.absoluteString ?? "",
      settings: [
        .init("sslmode", "verify-full"), .init("application_name", "strongroom"),
        .init("connect_timeout", "10"),
        // A server that stops without closing its connections is noticed.
        .init("keepalives_idle", "30"), .init("tcp_user_timeout", "60000"),
      ],
      setUp: "SET search_path TO \(description.serverSchema.quoted); SET client_encoding TO 'UTF8';"
        + "SET lock_timeout TO '30s';"
        + "SET default_transaction_isolation TO 'read committed'; SET extra_float_digits TO 3")
  }
}
