import CLibPQ
public import Foundation
import StoreContract

extension PostgresStore {
  /// The URL of an address in any form that libpq takes: with several hosts, of which `URL(string:)` makes
  /// none (`postgresql://a:5432,b:5433/library`), or as words (`host=a,b dbname=library`).
  ///
  /// No statement.
  /// - Parameter address: The address.
  /// - Returns: A URL for a store's description.
  /// - Throws: `StoreError` with code `invalidValue` where libpq does not take it.
  public static func url(of address: String) throws -> URL {
    let options = PQconninfoParse(address, nil)
    defer { PQconninfoFree(options) }
    var items: [String] = []
    var option = options
    while let current = option?.pointee, let keyword = current.keyword {
      if let value = current.val {
        let text = String(cString: value).addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        items.append("\(String(cString: keyword))=\(text ?? "")")
      }
      option = option?.successor()
    }
    guard options != nil, let url = URL(string: "postgresql:///?" + items.joined(separator: "&")) else {
      throw StoreError.unreadableAddress
    }
    return url
  }
}

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

  /// - Throws: `StoreError` with code `invalidValue` where it has no address of a server, or a schema that no
  ///   server takes.
  static func check(_ description: PersistentStoreDescription) throws {
    guard let url = description.url, ["postgres", "postgresql"].contains(url.scheme ?? "") else {
      throw StoreError(.invalidValue, "give the address of the server: postgresql://user@host/database")
    }
    let schema = description.serverSchema
    guard (1...63).contains(schema.utf8.count), !schema.utf8.contains(0), !schema.hasPrefix("pg_"),
      schema != "$user", schema != "information_schema"
    else {
      throw StoreError(
        .invalidValue,
        "a schema's name has 1 to 63 bytes, does not begin with pg_, and is not $user or information_schema")
    }
  }
}

extension ServerPool {
  /// The connections to the server of a description, none of which is made yet.
  convenience init(_ description: PersistentStoreDescription) throws {
    try ServerAddress.check(description)
    var settings: [ConnectionSetting] = [
      .init("sslmode", "verify-full"), .init("application_name", "strongroom"),
      .init("connect_timeout", "10"),
      // A server that stops without closing its connections is noticed after a minute.
      .init("keepalives_idle", "30"), .init("keepalives_interval", "10"), .init("keepalives_count", "3"),
      .init("tcp_user_timeout", "60000"),
    ]
    // Of several servers the one that takes writes.
    if !description.isReadOnly { settings.append(.init("target_session_attrs", "primary")) }
    self.init(
      description.url?.absoluteString ?? "", settings: settings,
      setUp: "SET search_path TO \(description.serverSchema.quoted); SET client_encoding TO 'UTF8';"
        + "SET default_transaction_isolation TO 'read committed'; SET extra_float_digits TO 3;"
        // Where a policy hides rows, an error says so.
        + "SET row_security TO off;"
        // The locks of a program that is not reachable any more are given back as soon.
        + "SET tcp_keepalives_idle TO 30; SET tcp_keepalives_interval TO 10; SET tcp_keepalives_count TO 3;"
        + "SET tcp_user_timeout TO '60s';"
        // What is acknowledged survives a crash.
        + "SELECT set_config('synchronous_commit', 'on', false)"
        + " WHERE current_setting('synchronous_commit') = 'off';"
        + "SELECT set_config('lock_timeout', '30s', false) WHERE current_setting('lock_timeout') = '0'",
      checkInterval: description.serverCheckInterval)
  }
}
