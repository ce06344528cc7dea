/// How a store answers a fetch.
public struct QueryPlan: Sendable, Hashable, Codable {
  /// One step of the plan.
  public struct Step: Sendable, Hashable, Codable {
    /// What the step does, in the words of SQLite or of the server.
    public let text: String
    /// Whether the step finds rows by an index or by their number, and does not scan all of them.
    public let usesIndex: Bool

    /// Creates a step.
    public init(text: String, usesIndex: Bool) {
      self.text = text
      self.usesIndex = usesIndex
    }
  }

  /// The SQL, with a parameter for every value; nil where there is none.
  public let statement: String?
  /// The steps of the plan.
  public let steps: [Step]
  /// Whether rows are filtered, sorted or shaped in memory after the statement.
  public let isEvaluatedInMemory: Bool
  /// Attributes, as `EntityDescription.attribute`, whose fetch index would let a step find its rows
  /// without a scan; `(full text)` follows those that need a full-text index.
  public let suggestedIndexes: [String]

  /// Creates a plan.
  public init(statement: String?, steps: [Step], isEvaluatedInMemory: Bool, suggestedIndexes: [String]) {
    self.statement = statement
    self.steps = steps
    self.isEvaluatedInMemory = isEvaluatedInMemory
    self.suggestedIndexes = suggestedIndexes
  }
}
