import Foundation
import ObjectQuery
import StoreContract

/// What a context is about when it calls the engine, for a program's own kind of store.
struct StoreCall: @unchecked Sendable {
  // @unchecked: descriptors are Sendable, each of its own type; the changes are noted in the call itself.
  @TaskLocal static var current: StoreCall?

  /// What stores say of what they saved.
  final class Changes {
    /// Models that a store changed while it saved them.
    fileprivate(set) var ids: [ManagedObjectID] = []
    /// The places in the histories of stores after the save.
    fileprivate(set) var tokens: [any HistoryToken] = []

    func note(_ id: ManagedObjectID) { ids.append(id) }
    func note(_ token: any HistoryToken) { tokens.append(token) }
  }

  let editingState: EditingState
  let changes = Changes()
  /// A `FetchDescriptor`, and the engine's request that was made of it.
  private(set) var descriptor: Any?
  private var request: FetchRequest?
  /// Whether the models of the descriptor are to be deleted at once.
  private(set) var isBatchDeletion = false

  init(_ editingState: EditingState) { self.editingState = editingState }

  init<T>(_ editingState: EditingState, _ descriptor: FetchDescriptor<T>, _ request: FetchRequest) {
    self.editingState = editingState
    self.descriptor = descriptor
    self.request = request
  }

  /// A deletion at once.
  init<T>(deleting descriptor: FetchDescriptor<T>, _ request: FetchRequest, _ editingState: EditingState) {
    self.init(editingState, descriptor, request)
    isBatchDeletion = true
  }

  /// The descriptor of a request that says no more than it; nil where the engine asks for something else.
  func descriptor<T>(for asked: FetchRequest, _ type: T.Type) -> FetchDescriptor<T>? {
    guard let request, var own = descriptor as? FetchDescriptor<T>, asked.entityName == request.entityName,
      asked.predicate == request.predicate, asked.sortDescriptors == request.sortDescriptors,
      asked.search == nil, asked.affectedStores == nil
    else { return nil }
    own.fetchLimit = asked.fetchLimit
    own.fetchOffset = asked.fetchOffset == 0 ? nil : asked.fetchOffset
    return own
  }
}
