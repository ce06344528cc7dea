/// How much of a property list or an archive is read before it is refused.
///
/// The standard limits are far above what Core Data writes and far below what exhausts a machine.
public struct PropertyListLimits: Sendable, Hashable {
  /// The most bytes of the whole list.
  public var byteCount: Int
  /// The most objects in the list.
  public var objectCount: Int
  /// The most containers inside each other.
  public var depth: Int
  /// The most values when each reference to a shared container counts as a copy of it.
  public var expandedCount: Int

  /// Sets the limits.
  public init(
    byteCount: Int = 256 << 20, objectCount: Int = 4 << 20, depth: Int = 128, expandedCount: Int = 16 << 20
  ) {
    self.byteCount = byteCount
    self.objectCount = objectCount
    self.depth = depth
    self.expandedCount = expandedCount
  }

  /// 256 MiB, four million objects, 128 levels.
  public static let standard = PropertyListLimits()
}
