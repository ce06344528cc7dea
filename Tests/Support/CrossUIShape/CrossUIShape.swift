import Observation

// What SwiftCrossUI has for property wrappers, environments and views, in its words: enough to
// compile what conforms to it, and to run one view.

/// A property wrapper that is updated before each access to a view's body.
public protocol DynamicProperty {
  func update(with environment: EnvironmentValues, previousValue: Self?)
}

/// A key of the environment.
public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

/// The values that a view gets from those above it.
public struct EnvironmentValues {
  private var values: [ObjectIdentifier: Any] = [:]

  /// No values but the keys' own.
  public init() {}

  /// The value of a key.
  public subscript<Key: EnvironmentKey>(_ key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}

/// A part of a window; here, its lines.
@MainActor
public protocol View {
  var body: [String] { get }
}

/// A view with other values in its environment.
struct EnvironmentModifier<Content: View>: View {
  let content: Content
  let change: (inout EnvironmentValues) -> Void

  var body: [String] { content.body }
}

extension View {
  /// The view with another value in its environment.
  public func environment<Value>(
    _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ newValue: Value
  ) -> some View {
    EnvironmentModifier(content: self) { $0[keyPath: keyPath] = newValue }
  }
}

@MainActor
private protocol Modifier {
  func content(_ environment: inout EnvironmentValues) -> any View
}

extension EnvironmentModifier: Modifier {
  func content(_ environment: inout EnvironmentValues) -> any View {
    change(&environment)
    return (content as? any Modifier)?.content(&environment) ?? content
  }
}

/// Shows one view: computes its body inside observation tracking, again after each change.
@MainActor
public final class ViewGraph {
  private var shown: (any View)?
  private var isStale = true
  private var lines: [String] = []
  /// How often the body was computed.
  public private(set) var computations = 0

  /// Shows nothing yet.
  public init() {}

  /// The lines of a view, computed again where something changed.
  ///
  /// - `isNew`: Whether the view has other values than before, so that it is computed again in any case.
  public func render(_ view: some View, isNew: Bool = false) -> [String] {
    guard isStale || isNew else { return lines }
    var environment = EnvironmentValues()
    let content = (view as? any Modifier)?.content(&environment) ?? view
    isStale = false
    computations += 1
    let old = shown.map { Mirror(reflecting: $0).children.map(\.value) } ?? []
    for (place, child) in Mirror(reflecting: content).children.enumerated() {
      guard let property = child.value as? any DynamicProperty else { continue }
      update(property, environment, place < old.count ? old[place] : nil)
    }
    lines = withObservationTracking {
      content.body
    } onChange: { [weak self] in
      MainActor.assumeIsolated { self?.isStale = true }
    }
    shown = content
    return lines
  }

  private func update<Property: DynamicProperty>(
    _ property: Property, _ environment: EnvironmentValues, _ old: Any?
  ) {
    property.update(with: environment, previousValue: old as? Property)
  }
}
