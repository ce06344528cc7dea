/// A store that cannot take back what it was handed: it is handed it when all other stores of a save have
/// committed.
package protocol SavingLast: IncrementalStore {}
