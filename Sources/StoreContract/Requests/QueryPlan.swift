/// How a store answers a fetch.
public struct QueryPlan: Sendable, Hashable, Codable {
  /// One step of the plan.
  public struct Step: Sendable, Hashable, Codable {
    /// What is done, in the database library's words.
    public let text: String
    /// Whether rows are found through an index or by their number, and not by looking at all of them.
    public let usesIndex: Bool

    /// A step.
    public init(text: String, usesIndex: Bool) {
      self.text = text
      self.usesIndex = usesIndex
    }
  }

  /// The SQL, with `?` for every value; nil where there is none.
  public let statement: String?
  /// The steps of the plan.
  public let steps: [Step]
  /// Whether rows are filtered, sorted or shaped in memory after the statement.
  public let isEvaluatedInMemory: Bool
  /// Attributes, as `EntityDescription.attribute`, whose fetch index would let a step find its rows and not look at all; `(full text)` behind
  /// those whose words it is to be of.
  public let suggestedIndexes: [String]

  /// An explanation.
  public init(statement: String?, steps: [Step], isEvaluatedInMemory: Bool, suggestedIndexes: [String]) {
    self.statement = statement
    self.steps = steps
    self.isEvaluatedInMemory = isEvaluatedInMemory
    self.suggestedIndexes = suggestedIndexes
  }
}
