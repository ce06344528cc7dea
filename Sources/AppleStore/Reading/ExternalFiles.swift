import Foundation

/// The files in which Core Data has long values: `.NAME_SUPPORT/_EXTERNAL_DATA` beside the store.
struct ExternalFiles {
  private let folder: URL
  /// Where the files are, beside the store.
  let folderName: String
  private static let nameLength = 36
  /// SQLite's own limit of a value (sqlite.org/limits.html, 1).
  private static let longest = 1_000_000_000

  init(of store: URL) {
    let stem = store.deletingPathExtension().lastPathComponent
    folderName = ".\(stem)_SUPPORT/_EXTERNAL_DATA"
    folder = store.deletingLastPathComponent().appendingPathComponent(folderName, isDirectory: true)
  }

  /// The bytes of a file that a column names; nil where there is none, where it is longer than a
  /// value can be, or the name is no UUID.
  func contents(_ name: UnsafeRawBufferPointer) -> Data? {
    let text = String(decoding: name, as: UTF8.self)
    guard name.count == Self.nameLength, UUID(uuidString: text) != nil else { return nil }
    let path = folder.appendingPathComponent(text).path
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    // A link could lead to any file of the user's.
    guard attributes?[.type] as? FileAttributeType == .typeRegular,
      (attributes?[.size] as? Int).map({ $0 < Self.longest }) == true
    else { return nil }
    return FileManager.default.contents(atPath: path)
  }
}
