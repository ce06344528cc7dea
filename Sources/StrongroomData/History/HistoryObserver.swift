import Foundation
import Locks
import ObjectContext
public import Observation
import StoreContract

/// Counts how often transactions came into the history of a container's stores: saves of its own contexts,
/// and commits of other containers, programs and processes.
///
/// `@Observable`: who reads `eventCounter` observes it. Ends with its last reference.
public final class HistoryObserver: Sendable {
  private struct Watched: Sendable {
    var eventCounter = 0
    /// The places in the histories of the stores, by the stores' identifiers; none for the beginning.
    var tokens: [UUID: PersistentHistoryToken] = [:]
  }

  /// The container.
  public let modelContainer: ModelContainer
  /// The classes whose models count, with their subclasses; empty for all.
  public let observedModels: [any PersistentModel.Type]
  /// The authors whose transactions count; empty for all.
  public let authors: Set<String>

  private let stores: [any IncrementalStore]
  private let watched = Locked(Watched())
  private let registrar = ObservationRegistrar()
  private let tasks = Locked<[Task<Void, Never>]>([])

  /// Observes the histories from tokens on.
  ///
  /// One statement for each store; two or three for each store that was saved to, whenever something was.
  ///
  /// - Parameters:
  ///   - historyTokens: Where to begin, by the stores' identifiers; a store without one, and all where this
  ///     is nil, from now on.
  ///   - observedModels: The classes whose models count, with their subclasses; empty for all.
  ///   - authors: The authors whose transactions count; empty for all.
  ///   - modelContainer: The container.
  ///   - isolation: Where `eventCounter` changes; on any thread where it is nil.
  /// - Throws: `DataStoreError.unsupportedFeature` where no store has a history; `StoreError`.
  public convenience init(
    historyTokens: [String: any HistoryToken]? = nil, observedModels: [any PersistentModel.Type] = [],
    authors: Set<String> = [], modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(historyTokens ?? [:], observedModels, authors, modelContainer)
    listen(isolation)
  }

  private init(
    _ tokens: [String: any HistoryToken], _ models: [any PersistentModel.Type], _ authors: Set<String>,
    _ container: ModelContainer
  ) throws {
    modelContainer = container
    observedModels = models
    self.authors = authors
    stores = try container.core.storesWithHistory
    for store in stores {
      let given = tokens[store.identifier.uuidString] as? DefaultHistoryToken
      let token = try given.map { $0.persistentToken } ?? store.currentHistoryToken
      watched.withLock { $0.tokens[store.identifier] = token }
    }
  }

  deinit { for task in tasks.withLock({ $0 }) { task.cancel() } }

  /// How often transactions came that count: once for all that were found at a time.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return watched.withLock { $0.eventCounter }
  }

  /// The places up to which the histories were looked at, by the stores' identifiers.
  ///
  /// Without a store that has no transaction yet.
  public var historyTokens: [String: any HistoryToken] {
    registrar.access(self, keyPath: \.historyTokens)
    let tokens = watched.withLock { $0.tokens }
    return Dictionary(
      uniqueKeysWithValues: tokens.map { ($0.key.uuidString, DefaultHistoryToken($0.value)) })
  }

  private func listen(_ isolation: (any Actor)?) {
    let coordinator = modelContainer.core.engine.persistentStoreCoordinator
    let (saves, remote) = (coordinator.didSaveObjects(), coordinator.remoteChanges())
    let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    // What was saved before it listened.
    wakes.continuation.yield()
    let listening = [
      Task { for await _ in saves { wakes.continuation.yield() } },
      Task { for await _ in remote { wakes.continuation.yield() } },
      Task { [weak self] in
        for await _ in wakes.stream { await self?.look(isolation) }
      },
    ]
    tasks.withLock { $0 = listening }
  }

  private func look(_ isolation: (any Actor)?) async {
    // What cannot be read now is read after the next save.
    let found = stores.compactMap { store in (try? look(in: store)).map { (store.identifier, $0) } }
    let moved = found.filter { $0.1.token != watched.withLock { $0.tokens }[$0.0] }
    if moved.isEmpty { return }
    await note(moved.map { ($0.0, $0.1.token) }, counts: moved.contains { $0.1.counts }, on: isolation)
  }

  /// Whether there is something new that counts, and where to go on.
  private func look(
    in store: any IncrementalStore
  ) throws -> (token: PersistentHistoryToken?, counts: Bool) {
    let known = watched.withLock { $0.tokens[store.identifier] }
    let current = try store.currentHistoryToken
    if current == known { return (known, false) }
    var request = PersistentHistoryChangeRequest.fetchHistory(after: known)
    request.resultType = .transactionsOnly
    if !authors.isEmpty { request.authors = authors }
    if !observedModels.isEmpty { request.entityNames = Set(observedModels.map(ModelSchema.name)) }
    do {
      let last = try store.execute(request).transactions.last
      // One that was saved meanwhile was counted.
      let isLater = last.map { own in
        own.transactionNumber > current?.position(in: store.identifier)?.transactionNumber ?? 0
      }
      return (isLater == true ? last?.token : current, last != nil)
    } catch let error as StoreError
      where error.code == .historyTokenExpired || error.code == .historyTokenForeign
    {
      // Nobody knows what changed, so that anything may have.
      return (error.historyToken, true)
    }
  }

  private func note(
    _ tokens: [(UUID, PersistentHistoryToken?)], counts: Bool, on isolation: isolated (any Actor)?
  ) {
    registrar.withMutation(of: self, keyPath: \.historyTokens) {
      watched.withLock { for (store, token) in tokens { $0.tokens[store] = token } }
    }
    guard counts else { return }
    registrar.withMutation(of: self, keyPath: \.eventCounter) {
      watched.withLock { $0.eventCounter += 1 }
    }
  }
}

// The registrar notifies observers.
extension HistoryObserver: Observable {}
