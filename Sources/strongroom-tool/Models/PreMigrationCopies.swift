import Foundation

/// The copies from before a migration that lie beside a store; of one on a server none is known.
struct PreMigrationCopies {
  /// As many as the library keeps.
  private static let most = 3

  let paths: [String]

  init(of store: String) {
    paths = (1...Self.most).map { store + ".before-migration" + ($0 == 1 ? "" : "-\($0)") }
      .filter { FileManager.default.fileExists(atPath: $0) }
  }

  /// Why a migration that needs another copy would be refused; nil where it would not.
  var fullNote: String? {
    guard paths.count == Self.most else { return nil }
    return "\(Self.most) copies from earlier migrations lie beside the store: first remove those that you no"
      + " longer need"
  }

  /// Where the copy of a store on a server is, and how to remove it.
  static func note(onServer schema: String) -> String {
    "the store as it was is in a schema of the same database: its name is \(schema), which is cut where it is"
      + " long, with _before_ and the time in UTC behind it, and \\dn in psql lists it; when you no longer"
      + " need it: DROP SCHEMA \"\(schema)_before_…\" CASCADE"
  }

  /// What to do with the copy that was made since; nil where none was.
  func note(since earlier: PreMigrationCopies, _ store: String) -> String? {
    guard let new = paths.first(where: { !earlier.paths.contains($0) }) else { return nil }
    return "the store as it was is \(new); to go back: strongroom restore --replace \(new.shellWord)"
      + " \(store.shellWord)"
  }
}
