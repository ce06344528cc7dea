public import Foundation

/// How much history a store has before it deletes the oldest itself.
///
/// It looks at every 64th transaction, and leaves what a consumer within its span has not read.
public struct PersistentHistoryLimits: Sendable, Hashable {
  /// The age in seconds beyond which transactions go; nil for any.
  public var age: TimeInterval?
  /// The size in bytes beyond which the oldest transactions go; nil for any.
  public var byteCount: Int?

  /// Limits of one's own.
  public init(age: TimeInterval?, byteCount: Int?) {
    self.age = age
    self.byteCount = byteCount
  }

  /// 30 days and 32 MB, about a million changes: a program that was not started for a month reads its objects
  /// again, and no store grows by more than a few pictures take.
  public static let standard = PersistentHistoryLimits(age: 30 * 86_400, byteCount: 32 << 20)
  /// No limits: the program deletes history itself.
  public static let none = PersistentHistoryLimits(age: nil, byteCount: nil)
}
