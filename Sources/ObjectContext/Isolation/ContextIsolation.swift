import Foundation

/// Where a context may be used, so that debug builds stop a use elsewhere before it does harm.
enum ContextIsolation {
  /// Made outside any actor: the compiler alone sees to it.
  case unknown
  /// On an actor, which may hold the context and is not held by it.
  case actor(WeakActor)
  /// Under a lock.
  case lock(ContextLock)

  struct WeakActor { weak var actor: (any Actor)? }

  init(_ actor: (any Actor)?) { self = actor.map { .actor(WeakActor(actor: $0)) } ?? .unknown }

  /// Stops the process when this is not where the context lives.
  @inline(__always)
  func check(_ what: () -> String) {
    switch self {
    case .unknown: return
    case .actor(let weak):
      weak.actor?.preconditionIsolated(
        "\(what()) was used off its context, which lives on this actor. \(Self.advice)")
    case .lock(let lock):
      if !lock.isHeld {
        fatalError(
          "\(what()) was used off its context \(lock.name ?? ""), on \(Self.place). \(Self.advice)")
      }
    }
  }

  private static var advice: String {
    "Use it inside the context's perform, or pass its objectID and fetch it in a context of your own. The line is in the"
      + " first frame below that is not Strongroom's."
  }

  private static var place: String {
    Thread.isMainThread ? "the main thread" : "thread \(Thread.current.name ?? "") of another task or queue"
  }
}
