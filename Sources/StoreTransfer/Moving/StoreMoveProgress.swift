/// How far a move or a comparison is.
public struct StoreMoveProgress: Sendable, Hashable {
  /// What is being done.
  public enum Step: Sendable, Hashable {
    /// Objects, then their relationships, are written.
    case moving
    /// Both stores are read and compared.
    case comparing
  }

  /// What is being done.
  public let step: Step
  /// How many objects are done; each counts once more for each relationship with a join table.
  public let done: Int
  /// All of the step.
  public let total: Int
}
