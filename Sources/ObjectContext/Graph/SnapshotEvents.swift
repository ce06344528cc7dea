/// The reasons why an object's values were replaced without being set or fetched.
public struct SnapshotEvents: OptionSet, Sendable, CustomStringConvertible {
  /// The events as bits.
  public let rawValue: Int

  /// Makes a set of bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Undo or redo reverted or repeated the object's insertion.
  public static let undoInsertion = SnapshotEvents(rawValue: 1)
  /// Undo or redo reverted or repeated the object's deletion.
  public static let undoDeletion = SnapshotEvents(rawValue: 2)
  /// Undo or redo changed the object.
  public static let undoUpdate = SnapshotEvents(rawValue: 4)
  /// The context was rolled back.
  public static let rollback = SnapshotEvents(rawValue: 8)
  /// The object's row was read again, and its changes were retained.
  public static let refresh = SnapshotEvents(rawValue: 16)
  /// A merge policy resolved a conflict.
  public static let mergePolicy = SnapshotEvents(rawValue: 32)

  /// The names of the events.
  public var description: String {
    let names: [(SnapshotEvents, String)] = [
      (.undoInsertion, "undoInsertion"), (.undoDeletion, "undoDeletion"), (.undoUpdate, "undoUpdate"),
      (.rollback, "rollback"), (.refresh, "refresh"), (.mergePolicy, "mergePolicy"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
