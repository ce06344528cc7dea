/// Where a context may be used, so that debug builds stop a use elsewhere before it does harm.
enum ContextIsolation {
  /// Made outside any actor: the compiler alone sees to it.
  case unknown
  case mainActor
  /// On another actor, which may retain the context and is not retained by it.
  case actor(WeakActor)
  /// Under a lock.
  case lock(ContextLock)

  struct WeakActor { weak var actor: (any Actor)? }

  init(_ actor: (any Actor)?) {
    guard let actor else {
      self = .unknown
      return
    }
    self = actor === MainActor.shared ? .mainActor : .actor(WeakActor(actor: actor))
  }

  /// Stops the process when this is not where the context lives.
  @inline(__always)
  func check(_ what: () -> String) {
    switch self {
    case .unknown: return
    case .mainActor: if !MainQueue.isCurrent { stop(what(), "which lives on the main actor") }
    // The library stops by itself, and names the actor.
    case .actor(let weak): weak.actor?.preconditionIsolated()
    case .lock(let lock): if !lock.isHeld { stop(what(), lock.name ?? "which lives inside its perform") }
    }
  }

  private func stop(_ what: String, _ context: String) -> Never {
    fatalError(
      "\(what) was used off its context, \(context). Use it inside the context's perform or on its actor, or"
        + " pass its objectID and fetch it in a context of your own. The trace below has the line: its"
        + " first frame that is"
        + " not ObjectContext's.")
  }
}
