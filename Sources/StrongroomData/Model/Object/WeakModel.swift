import CSwiftRuntime

/// A weak reference to a model that leaves retaining the model as fast as it is.
///
/// The first `weak` reference to an object gives it a table of its own, and each retain and release
/// takes three times as long from then on. Here the memory of a deallocated model stays until the
/// reference goes, as with `unowned`; that is a few words, since the values are in the engine's
/// object.
struct WeakModel: ~Copyable {
  private let pointer: UnsafeMutableRawPointer?

  /// Refers to nothing.
  init() { pointer = nil }

  init(_ model: AnyObject) {
    pointer = swift_unownedRetain(Unmanaged.passUnretained(model).toOpaque())
  }

  deinit { if let pointer { swift_unownedRelease(pointer) } }

  /// The model; nil once it is being deallocated.
  var model: AnyObject? {
    guard let pointer, let retained = swift_tryRetain(pointer) else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(retained).takeRetainedValue()
  }
}
