extension Schema {
  /// The version of a schema: three numbers, the first of them the weightiest.
  public struct Version: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The first number.
    public let major: Int
    /// The second number.
    public let minor: Int
    /// The third number.
    public let patch: Int

    /// Makes a version.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    /// The numbers with dots between them.
    public var description: String { "\(major).\(minor).\(patch)" }

    /// By the numbers in turn.
    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
  }
}
