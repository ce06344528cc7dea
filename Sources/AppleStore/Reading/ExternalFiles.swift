import Foundation

/// The files in which Core Data has long values: `.NAME_SUPPORT/_EXTERNAL_DATA` beside the store.
struct ExternalFiles {
  private let folder: URL
  private static let nameLength = 36

  init(of store: URL) {
    let stem = store.deletingPathExtension().lastPathComponent
    folder = store.deletingLastPathComponent()
      .appendingPathComponent(".\(stem)_SUPPORT/_EXTERNAL_DATA", isDirectory: true)
  }

  /// The bytes of a file that a column names; nil where there is none, or the name is no UUID.
  func contents(_ name: UnsafeRawBufferPointer) -> Data? {
    let text = String(decoding: name, as: UTF8.self)
    guard name.count == Self.nameLength, UUID(uuidString: text) != nil else { return nil }
    let path = folder.appendingPathComponent(text).path
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    // A link could lead to any file of the user's.
    guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
    return FileManager.default.contents(atPath: path)
  }
}
