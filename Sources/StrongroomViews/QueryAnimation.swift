/// How a framework may show the changes of a query: a name, which means what the framework's own animation
/// of that name does.
public struct QueryAnimation: Sendable, Hashable {
  /// The name, as SwiftUI's.
  public let name: String

  /// An animation of a framework's own.
  public init(_ name: String) { self.name = name }

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
}

/// What a framework may do with the changes of a query.
public struct QueryTransaction: Sendable, Hashable {
  /// The animation; nil for none.
  public var animation: QueryAnimation?

  /// A transaction with an animation.
  public init(animation: QueryAnimation? = nil) { self.animation = animation }
}
