import Foundation
import ObjectContext
import SQLCipherStore
import StoreContract

/// Stores on servers, whose class the program registers.
extension ModelConfiguration {
  /// The name under which `PostgresStore` is registered.
  static let serverStoreType = "PostgreSQL"

  static func isServer(_ url: URL?) -> Bool {
    switch url?.scheme {
    case "postgresql", "postgres": true
    default: false
    }
  }

  /// The class of a store that is not in memory.
  /// - Throws: `SwiftDataError.unsupportedConfiguration` for a server where that class is not registered.
  var storeClass: any MigratableStore.Type {
    get throws {
      guard isOnServer else { return SQLCipherStore.self }
      let type = PersistentStoreCoordinator.registeredStoreTypes[Self.serverStoreType]
      guard let type = type as? any MigratableStore.Type else {
        throw SwiftDataError(
          .unsupportedConfiguration,
          "the configuration \(name) has the address of a PostgreSQL server; import StrongroomPostgres, and"
            + " call PersistentStoreCoordinator.registerStoreClass(PostgresStore.self) before")
      }
      return type
    }
  }

  /// The database that an address names; nil where it names none.
  static func database(_ url: URL?) -> String? {
    let path = url.map(shownAddress)?.path ?? ""
    return path.count > 1 ? String(path.dropFirst()) : nil
  }

  /// The address without what may be secret, and the name, since a database has several stores.
  var serverID: URL {
    var parts = Self.shownAddress(url)
    parts.fragment = name
    return parts.url ?? URL(fileURLWithPath: "/dev/null")
  }

  private static func shownAddress(_ url: URL) -> URLComponents {
    var shown = URLComponents()
    shown.scheme = "postgresql"
    // Where a password is not percent-encoded, a piece of it may look like another part: an at sign is left.
    guard let given = URLComponents(url: url, resolvingAgainstBaseURL: false), let host = given.host,
      url.absoluteString.count(where: { $0 == "@" }) == (given.user == nil ? 0 : 1)
    else { return shown }
    (shown.user, shown.host, shown.port, shown.path) = (given.user, host, given.port, given.path)
    let places = ["dbname", "host", "hostaddr", "port", "service", "user"]
    let items = given.queryItems?.filter { places.contains($0.name) } ?? []
    if !items.isEmpty { shown.queryItems = items }
    return shown
  }
}
