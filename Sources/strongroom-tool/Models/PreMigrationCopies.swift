import Foundation

/// The copies from before a migration that lie beside a store.
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

  /// What to do with the copy that was made since; nil where none was.
  func note(since earlier: PreMigrationCopies, _ store: String) -> String? {
    guard let new = paths.first(where: { !earlier.paths.contains($0) }) else { return nil }
    return "the store as it was is \(new); to go back: strongroom restore --replace \(new.shellWord)"
      + " \(store.shellWord)"
  }
}
