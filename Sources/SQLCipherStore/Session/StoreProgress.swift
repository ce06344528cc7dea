import CipherDatabase

/// How far work on a whole store is.
public struct StoreProgress: Sendable, Hashable {
  /// What is being done.
  public enum Step: String, Sendable, Hashable {
    /// Pages are compared with their MACs.
    case checking
    /// Pages are copied.
    case copying
    /// Rows and links of another store are written.
    case importing
    /// Objects are written into a store of another kind.
    case exporting
    /// Objects are compared with those of another store.
    case comparing
  }

  /// What is being done.
  public var step: Step
  /// Pages, rows, links or objects done.
  public var done: Int
  /// All of the step.
  public var total: Int

  /// Tells of a step.
  public init(step: Step, done: Int, total: Int) {
    self.step = step
    self.done = done
    self.total = total
  }

  /// Reports pages copied, and stops the copying when its task is cancelled.
  static func copying(_ progress: @escaping @Sendable (StoreProgress) -> Void) -> Export.Progress {
    { done, total in
      progress(StoreProgress(step: .copying, done: done, total: total))
      return !Task.isCancelled
    }
  }
}

/// In what format a store's pages are encrypted.
public enum StoreCipherFormat: Int, Sendable, Hashable, CaseIterable {
  /// SQLCipher 3's, pages of 4096 bytes, HMAC-SHA1: what every library reads, and what new stores
  /// have.
  case version3 = 3
  /// SQLCipher 4's, HMAC-SHA512: libraries before 4.0 cannot read it.
  case version4 = 4
}
