/// The results of one type that views show now.
@MainActor
final class ShownResults<Results: AnyObject> {
  private(set) var all: [Weak<Results>] = []

  func add(_ results: Results) {
    all.removeAll { $0.object == nil }
    all.append(Weak(results))
  }

  /// Those of the type.
  static var shared: ShownResults {
    if let known = shownByType[ObjectIdentifier(Results.self)] as? ShownResults { return known }
    let new = ShownResults()
    shownByType[ObjectIdentifier(Results.self)] = new
    return new
  }
}

/// A generic type has no variables of its own.
@MainActor private var shownByType: [ObjectIdentifier: AnyObject] = [:]

/// An object that is not retained.
struct Weak<Object: AnyObject> {
  private(set) weak var object: Object?

  init(_ object: Object) { self.object = object }
}
