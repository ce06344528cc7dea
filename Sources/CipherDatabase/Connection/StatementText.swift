import Synchronization

/// An SQL text with a number of its own, by which a connection finds the statement it prepared for
/// it.
package final class StatementText: Sendable {
  package let sql: String
  let number: Int

  private static let last = Atomic<Int>(0)

  package init(_ sql: String) {
    self.sql = sql
    number = Self.last.add(1, ordering: .relaxed).newValue
  }
}
