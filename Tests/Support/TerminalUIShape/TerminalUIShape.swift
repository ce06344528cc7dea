// What TUIkit has for property wrappers and views, in its words: enough to compile what conforms to it,
// and to run one view.

/// A property wrapper that is updated before a view is drawn.
public protocol DynamicProperty {
  mutating func update()
}

/// A part of the screen; here, its lines.
@MainActor
public protocol View {
  var body: [String] { get }
}

/// Draws one view whenever it is asked to.
@MainActor
public final class Screen {
  /// How often something asked to be drawn again.
  public private(set) var requests = 0

  /// Shows nothing yet.
  public init() {}

  /// Asks to be drawn again.
  public func setNeedsRender() { requests += 1 }

  /// The lines of a view, updated.
  public func draw(_ view: some View) -> [String] {
    for child in Mirror(reflecting: view).children {
      guard var property = child.value as? any DynamicProperty else { continue }
      property.update()
    }
    return view.body
  }
}
