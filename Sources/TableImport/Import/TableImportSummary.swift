/// What an import of tables brought along.
public struct TableImportSummary: Sendable, Hashable {
  /// The number of objects by the name of their entity.
  public internal(set) var objects: [String: Int] = [:]
  /// The number of links: of to-one relationships, and of the many-to-many ones.
  public internal(set) var linkCount = 0
  /// The number of faults by their kind.
  public internal(set) var faults: [TableImportFault.Kind: Int] = [:]

  /// The number of objects.
  public var objectCount: Int { objects.values.reduce(0, +) }
  /// The number of faults.
  public var faultCount: Int { faults.values.reduce(0, +) }
}
