import StoreContract
import Strongroom
import StrongroomPostgres

/// What `strongroom info` says of a store, as rows or JSON: what only a file or only a server has is nil.
struct InfoReport: Encodable {
  let store: String
  var schema: String?
  let identifier: String
  var cipher: String?
  var sqlite: String?
  /// Of 4096 bytes.
  var pages: Int?
  var freePages: Int?
  var recoveryCodeWasShown: Bool?
  var server: String?
  var bytes: Int?
  let objects: [String: Int]

  init(_ store: SQLCipherStore, _ summary: StoreSummary, recoveryCodeWasShown: Bool) {
    (self.store, identifier) = (store.path, summary.identifier.uuidString)
    (cipher, sqlite) = (summary.cipherVersion, summary.libraryVersion)
    (pages, freePages) = (summary.pageCount, summary.freePageCount)
    self.recoveryCodeWasShown = recoveryCodeWasShown
    objects = Dictionary(uniqueKeysWithValues: summary.objectCounts.map { ($0.entity, $0.count) })
  }

  init(_ store: PostgresStore, _ summary: PostgresStore.Summary) {
    let url = store.description.url?.absoluteString ?? ""
    (self.store, schema) = (ServerAddressText.redacted(url, [url]), store.description.serverSchema)
    (identifier, server) = (summary.identifier.uuidString, summary.serverVersion)
    bytes = summary.byteCount
    objects = Dictionary(uniqueKeysWithValues: summary.objectCounts.map { ($0.entity, $0.count) })
  }

  var rows: [[Cell]] {
    let shown = recoveryCodeWasShown.map {
      Cell.text($0 ? "was shown" : "was never shown: strongroom key recovery show")
    }
    let values: [(String, Cell?)] = [
      ("store", .text(store)), ("schema", schema.map(Cell.text)), ("identifier", .text(identifier)),
      ("cipher", cipher.map(Cell.text)), ("sqlite", sqlite.map(Cell.text)),
      ("pages of 4096 bytes", pages.map { Cell($0) }), ("free pages", freePages.map { Cell($0) }),
      ("recovery code", shown), ("server", server.map(Cell.text)), ("bytes", bytes.map { Cell($0) }),
    ]
    return values.compactMap { name, value in value.map { [.text(name), $0] } }
      + objects.sorted { $0.key < $1.key }.map { ["\($0.key) objects", Cell($0.value)] }
  }
}
