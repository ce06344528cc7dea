import ObjectContext

extension ModelContext {
  /// Why a property could not be read, and was empty; nil where none failed.
  ///
  /// While it is set, `save()` throws it, so that nothing overwrites what could not be read. `rollback()` and
  /// `clearReadFailure()` clear it. Issues no statement.
  public var readFailure: (any Error)? { engine.faultFailure }

  /// Says that the program has seen `readFailure`, and lets `save()` save what it set since.
  ///
  /// Read again first what was empty: a value that was computed from it is wrong. Issues no statement.
  public func clearReadFailure() { engine.clearFaultFailure() }
}
