public import Foundation
import Locks
import ObjectContext

extension ModelContainer {
  /// Reports after each save of any context of this container what was saved.
  public func didSaveModels() -> some AsyncSequence<ModelChanges, Never> & Sendable {
    ModelContext.changes(core.engine.persistentStoreCoordinator.didSaveObjects())
  }

  /// Reports commits of other processes and other containers to one of the stores, once for several
  /// commits within a few milliseconds.
  ///
  /// `mainContext` takes such changes in by itself; other contexts see them when they fetch.
  ///
  /// Files are watched, and servers heard, from the first call on, or from the first use of
  /// `mainContext`. An idle file costs nothing.
  public func remoteChanges() -> some AsyncSequence<ModelConfiguration, Never> & Sendable {
    let core = core
    return core.engine.persistentStoreCoordinator.remoteChanges().compactMap { core.configuration(of: $0) }
  }

  /// Posted after another process or another container committed to one of the stores, with the container
  /// as its object, on any thread.
  ///
  /// The files of all containers are watched from the first use of this name on. `HistoryObserver` and
  /// `remoteChanges()` need no notification.
  public static var remoteChange: Notification.Name {
    RemoteChangePosts.begin()
    return RemoteChangePosts.name
  }
}

/// The containers that post `ModelContainer.remoteChange`.
///
/// A notification does not say whether anybody wants it, so nothing is watched until its name is asked for.
enum RemoteChangePosts {
  static let name = Notification.Name("StrongroomData.ModelContainer.remoteChange")

  private struct Containers: @unchecked Sendable {
    // @unchecked: weak references are loaded and stored under the mutex only.
    struct One { weak var container: ModelContainer? }

    var isWanted = false
    var waiting: [One] = []
  }

  private static let containers = Locked(Containers())

  static func add(_ container: ModelContainer) {
    let isWanted = containers.withLock { containers in
      if !containers.isWanted {
        containers.waiting.removeAll { $0.container == nil }
        containers.waiting.append(Containers.One(container: container))
      }
      return containers.isWanted
    }
    if isWanted { watch(container) }
  }

  static func begin() {
    let waiting = containers.withLock { containers in
      defer { containers.waiting = [] }
      containers.isWanted = true
      return containers.waiting.compactMap(\.container)
    }
    waiting.forEach(watch)
  }

  private static func watch(_ container: ModelContainer) {
    let changes = container.core.engine.persistentStoreCoordinator.remoteChanges()
    Task { [weak container] in
      // The stream ends with the coordinator, which the container has.
      for await _ in changes {
        guard let container else { return }
        NotificationCenter.default.post(name: name, object: container)
      }
    }
  }
}
