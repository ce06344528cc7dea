public import Foundation

/// What `NSKeyedArchiver` makes, read without making objects of any class.
///
/// The whole archive is checked once; then values are followed from the root as they are asked for.
public struct KeyedArchive: Sendable {
  private let contents: ArchiveContents
  private let top: [String: PropertyListValue]

  /// Reads an archive: a binary property list with `$archiver`, `$objects` and `$top`.
  ///
  /// - Throws: `KeyedArchiveError` when it is none, is damaged, or exceeds the limits.
  public init(_ data: Data, limits: PropertyListLimits = .standard) throws(KeyedArchiveError) {
    let list = try PropertyListValue(binaryPropertyList: data, limits: limits)
    guard case .array(let objects)? = list["$objects"], case .dictionary(let top)? = list["$top"] else {
      throw KeyedArchiveError(
        .notKeyedArchive, "the property list is no keyed archive; read it as a property list")
    }
    guard list["$archiver"] == .string("NSKeyedArchiver") else {
      throw KeyedArchiveError(
        .notKeyedArchive, "the archive is of an archiver that is not known; archive it with NSKeyedArchiver")
    }
    guard !objects.isEmpty else {
      throw KeyedArchiveError(.damaged, "the keyed archive has no objects; use another copy")
    }
    contents = try ArchiveContents(objects, top: top)
    self.top = top
  }

  /// The keys of the values at the top, sorted; `root` unless the program chose others.
  public var keys: [String] { top.keys.sorted() }

  /// The value of a key at the top; null when there is none.
  public subscript(key: String) -> ArchivedValue { top[key].map(contents.resolve) ?? .null }

  /// The value of the key `root`, or the only value at the top.
  public var root: ArchivedValue {
    if let root = top["root"] { return contents.resolve(root) }
    return top.count == 1 ? top.values.first.map(contents.resolve) ?? .null : .null
  }

  /// The number of objects, plain values and class descriptions included.
  public var objectCount: Int { contents.count }
}
