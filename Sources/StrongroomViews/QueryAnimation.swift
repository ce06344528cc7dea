/// How a framework may show the changes of a query: a name, which means what the framework's own animation
/// of that name does.
public struct QueryAnimation: Sendable, Hashable {
  /// The name, as SwiftUI's.
  public let name: String

  /// How long it takes, in seconds; nil for the framework's own time.
  public let duration: Double?

  /// An animation of a framework's own.
  public init(_ name: String, duration: Double? = nil) {
    self.name = name
    self.duration = duration
  }

  /// The framework's usual one.
  public static let `default` = QueryAnimation("default")
  /// At one speed.
  public static let linear = QueryAnimation("linear")
  /// Slow at first.
  public static let easeIn = QueryAnimation("easeIn")
  /// Slow at the end.
  public static let easeOut = QueryAnimation("easeOut")
  /// Slow at both ends.
  public static let easeInOut = QueryAnimation("easeInOut")
  /// As a spring.
  public static let spring = QueryAnimation("spring")
  /// A spring that does not overshoot.
  public static let smooth = QueryAnimation("smooth")
  /// A short spring.
  public static let snappy = QueryAnimation("snappy")
  /// A spring that overshoots.
  public static let bouncy = QueryAnimation("bouncy")

  /// At one speed.
  public static func linear(duration: Double) -> QueryAnimation { .init("linear", duration: duration) }
  /// Slow at first.
  public static func easeIn(duration: Double) -> QueryAnimation { .init("easeIn", duration: duration) }
  /// Slow at the end.
  public static func easeOut(duration: Double) -> QueryAnimation { .init("easeOut", duration: duration) }
  /// Slow at both ends.
  public static func easeInOut(duration: Double) -> QueryAnimation { .init("easeInOut", duration: duration) }
  /// As a spring.
  public static func spring(duration: Double = 0.5) -> QueryAnimation { .init("spring", duration: duration) }
}

/// What a framework may do with the changes of a query.
public struct QueryTransaction: Sendable, Hashable {
  /// The animation; nil for none.
  public var animation: QueryAnimation?

  /// A transaction with an animation.
  public init(animation: QueryAnimation? = nil) { self.animation = animation }
}
