public import Foundation
public import StoreContract
@_exported public import StoreKeys

extension PersistentStoreDescription {
  /// The schema of the database in which the store is, where the type is ``PostgresStore``'s: `strongroom`
  /// unless set.
  ///
  /// Made where it is missing. Several stores of one database are in several schemas.
  public var serverSchema: String {
    get { options["PostgresSchema"] as? String ?? "strongroom" }
    set { options["PostgresSchema"] = newValue }
  }

  /// Describes a store by one text: libpq's address of a server, in which the item `schema` names the
  /// schema, as in `postgresql://ada@db.example.org/library?schema=catalogue`.
  ///
  /// - Parameter text: The address. In its parts all is percent-encoded but letters, digits and `-._~`.
  /// - Throws: `StoreError` with code `invalidValue` where it is none. The message does not quote it.
  public init(serverAddress text: String) throws {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var items = parts.count == 2 ? parts[1].split(separator: "&") : []
    let schema = items.last { $0.hasPrefix("schema=") }?.dropFirst("schema=".count)
    items.removeAll { $0.hasPrefix("schema=") }
    let address = parts[0] + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    guard let url = URL(string: String(address)), ServerAddress.isUnambiguous(parts[0]),
      schema == nil || schema?.removingPercentEncoding != nil
    else {
      throw StoreError(
        .invalidValue,
        "the address of the server is none: write postgresql://user@host/database?schema=name, and"
          + " percent-encode all but letters, digits and -._~ in its parts")
    }
    self.init(type: PostgresStore.storeType, url: url)
    if let name = schema?.removingPercentEncoding { serverSchema = name }
  }

  /// After how many seconds without an answer another connection asks the server whether it works on a
  /// statement: 30 unless set.
  ///
  /// A statement that it works on is waited for, however long it takes; one that it does not, or that nobody
  /// answers for within 10 seconds, fails with `serverUnreachable`, or where it was the commit of a save is
  /// settled.
  public var serverCheckInterval: TimeInterval {
    get { options["PostgresCheckInterval"] as? TimeInterval ?? 30 }
    set { options["PostgresCheckInterval"] = newValue }
  }

  /// For how many seconds a server is waited for that is to say whether a save was committed whose answer was
  /// lost: 20 unless set, and 300 at most.
  ///
  /// Where another server takes its place later, the save ends with `outcomeUnknown`.
  public var serverOutcomeTimeout: TimeInterval {
    get { options["PostgresOutcomeTimeout"] as? TimeInterval ?? 20 }
    set { options["PostgresOutcomeTimeout"] = newValue }
  }
}
