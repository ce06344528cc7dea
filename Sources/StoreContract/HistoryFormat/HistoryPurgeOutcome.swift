/// What a deletion of history deleted.
package struct HistoryPurgeOutcome {
  /// The number of transactions.
  package var count = 0
  /// Who has not read what was to go as well; nil where all of it went.
  package var limitingConsumer: PersistentHistoryConsumer?

  package init() {}
}
