public import ObjectModel
import Observation

extension ModelObject {
  /// Notes that a model's property is read.
  @inlinable
  func access<Model: PersistentModel, Value>(_ model: Model, _ keyPath: () -> KeyPath<Model, Value>) {
    if !hasModel { note(model) }
    if isTracked { observationRegistrar.access(model, keyPath: keyPath()) }
  }

  @usableFromInline
  var isTracked: Bool { Tracking.isOn }

  /// Sets a property and notifies those who observe it.
  @inlinable
  func mutate<Model: PersistentModel, Value>(
    _ model: Model, _ keyPath: () -> KeyPath<Model, Value>, _ index: PropertyIndex, _ body: () -> Void
  ) {
    if !hasModel { note(model) }
    guard let registrar = tracked?.registrar else { return body() }
    let path = keyPath()
    registrar.willSet(model, keyPath: path)
    // What an observer writes meanwhile has ended by now.
    let outer = beginWriting(index)
    body()
    endWriting(outer)
    registrar.didSet(model, keyPath: path)
  }

  /// - Returns: The property that was being set.
  @usableFromInline
  func beginWriting(_ index: PropertyIndex) -> Int32 {
    let outer = written
    written = Int32(truncatingIfNeeded: index.index)
    return outer
  }

  @usableFromInline
  func endWriting(_ outer: Int32) { written = outer }
}
