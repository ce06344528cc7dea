import CGtk4

/// What a signal calls.
private final class Handler {
  let body: @MainActor (OpaquePointer?) -> Void
  init(_ body: @escaping @MainActor (OpaquePointer?) -> Void) { self.body = body }
}

/// What a signal asks whether it may go on.
private final class Question {
  let body: @MainActor () -> Bool
  init(_ body: @escaping @MainActor () -> Bool) { self.body = body }
}

/// Calls a closure at each signal of an object, as long as the object lives.
///
/// For signals that want no answer, whatever their arguments are.
@MainActor func on(_ object: OpaquePointer?, _ signal: String, _ body: @escaping @MainActor () -> Void) {
  // Swapped, the handler comes first, so that the other arguments need not be known.
  let call: @convention(c) (UnsafeMutableRawPointer) -> Void = { handler in
    onMain { Unmanaged<Handler>.fromOpaque(handler).takeUnretainedValue().body(nil) }
  }
  connect(object, signal, unsafeBitCast(call, to: GCallback.self), Handler { _ in body() })
}

/// Calls a closure with the first argument of each signal of an object.
@MainActor func onArgument(
  _ object: OpaquePointer?, _ signal: String, _ body: @escaping @MainActor (OpaquePointer?) -> Void
) {
  let call: @convention(c) (UnsafeMutableRawPointer, OpaquePointer?) -> Void = { handler, argument in
    onMain { Unmanaged<Handler>.fromOpaque(handler).takeUnretainedValue().body(argument) }
  }
  connect(object, signal, unsafeBitCast(call, to: GCallback.self), Handler(body))
}

/// Calls a closure at each signal of an object that asks whether to go on.
@MainActor func before(
  _ object: OpaquePointer?, _ signal: String, goesOn body: @escaping @MainActor () -> Bool
) {
  let call: @convention(c) (UnsafeMutableRawPointer) -> gboolean = { handler in
    onMain { Unmanaged<Question>.fromOpaque(handler).takeUnretainedValue().body() } ? 0 : 1
  }
  connect(object, signal, unsafeBitCast(call, to: GCallback.self), Question(body))
}

private func connect(_ object: OpaquePointer?, _ signal: String, _ call: GCallback, _ handler: AnyObject) {
  g_signal_connect_data(
    object.map(UnsafeMutableRawPointer.init), signal, call, Unmanaged.passRetained(handler).toOpaque(),
    { handler, _ in handler.map { Unmanaged<AnyObject>.fromOpaque($0).release() } }, G_CONNECT_SWAPPED)
}
