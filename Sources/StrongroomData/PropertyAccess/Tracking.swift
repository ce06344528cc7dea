import Observation
import Synchronization

/// Finds out whether reads are being tracked, without a registrar for each object: making one takes
/// several times as long as reading a row.
///
/// A shared registrar records a read through a key path. While reads are tracked, observation
/// inserts the key path into a set, which hashes it, and the mark in it notices the hashing.
final class Tracking: Observable, Sendable {
  private struct Mark: Hashable {
    func hash(into hasher: inout Hasher) { Tracking.asked.add(1, ordering: .relaxed) }
  }

  private static let asked = Atomic<Int>(0)
  private static let shared = Tracking()
  private let registrar = ObservationRegistrar()
  // A key path is never changed, and the mark in it holds nothing.
  private nonisolated(unsafe) let path: KeyPath<Tracking, Int> = \Tracking[Mark()]

  private subscript(mark: Mark) -> Int { 0 }

  /// Whether reads on this thread are tracked; true now and then when they are on another.
  static var isOn: Bool {
    let before = asked.load(ordering: .relaxed)
    let shared = shared
    shared.registrar.access(shared, keyPath: shared.path)
    return asked.load(ordering: .relaxed) != before
  }
}

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
    _ model: Model, _ keyPath: () -> KeyPath<Model, Value>, _ body: () -> Void
  ) {
    if !hasModel { note(model) }
    guard let registrar = tracked?.registrar else { return body() }
    let path = keyPath()
    beginWriting()
    registrar.willSet(model, keyPath: path)
    body()
    registrar.didSet(model, keyPath: path)
    endWriting()
  }

  @usableFromInline
  func beginWriting() { isWriting = true }

  @usableFromInline
  func endWriting() { isWriting = false }
}
