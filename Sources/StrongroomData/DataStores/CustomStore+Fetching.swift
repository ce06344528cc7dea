import ObjectModel
import ObjectQuery
import StoreContract

extension CustomStore {
  func fetchNodes(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> [IncrementalStoreNode] {
    try withLock {
      let entity = try entity(request)
      func open<T: PersistentModel>(_ type: T.Type) throws -> [IncrementalStoreNode] {
        guard let descriptor = StoreCall.current?.descriptor(for: request, type),
          let found = try fetch(descriptor, request, entity)
        else { return try evaluated(request, all(entity), entity) }
        return found
      }
      return try open(type(entity))
    }
  }

  func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
    try withLock {
      let entity = try entity(request)
      func open<T: PersistentModel>(_ type: T.Type) throws -> [ManagedObjectID]? {
        guard let descriptor = StoreCall.current?.descriptor(for: request, type) else { return nil }
        let identifiers = try answer(of: request) {
          try base.fetchIdentifiers(DataStoreFetchRequest(descriptor: descriptor, editingState: editingState))
        }
        return try identifiers.map {
          func own(_ found: [PersistentIdentifier]) throws -> [ManagedObjectID] {
            asked(try found.map(objectID), request, entity) { ($0.entity, $0.reference) }
          }
          return try page(try own($0), request) {
            try own(
              try base.fetchIdentifiers(
                DataStoreFetchRequest(descriptor: descriptor.head, editingState: editingState)))
          }
        }
      }
      return try open(type(entity)) ?? fetchNodes(request.returning(.objects), lookup: nil).map(\.objectID)
    }
  }

  func count(for request: FetchRequest) throws -> Int {
    try withLock {
      let entity = try entity(request)
      func open<T: PersistentModel>(_ type: T.Type) throws -> Int? {
        guard let descriptor = StoreCall.current?.descriptor(for: request, type) else { return nil }
        return try count(of: descriptor, request, entity)
      }
      return try open(type(entity)) ?? fetchNodes(request.returning(.objects), lookup: nil).count
    }
  }

  /// The number of models that the store has of a descriptor; nil where it leaves that to the container.
  private func count<T: PersistentModel>(
    of descriptor: FetchDescriptor<T>, _ request: FetchRequest, _ entity: EntityDescription
  ) throws -> Int? {
    let offset = max(request.fetchOffset, 0)
    // A number does not say whether the store has left out those before the offset.
    let isWhole = offset > 0 && ignoresPages != false
    let asked = isWhole ? descriptor.whole : descriptor
    let counted = try answer(of: request) {
      try base.fetchCount(DataStoreFetchRequest(descriptor: asked, editingState: editingState))
    }
    guard let counted else { return nil }
    if counted < 0 {
      throw StoreError(.invalidValue, "the store counts \(counted) models of \(entity.name)")
    }
    let limit = request.effectiveFetchLimit ?? .max
    if !isWhole, counted > limit { ignoresPages = true }
    return isWhole || ignoresPages == true ? min(max(counted - offset, 0), limit) : counted
  }

  private func entity(_ request: FetchRequest) throws -> EntityDescription {
    if let entity = model.entity(named: request.entityName) { return entity }
    throw StoreError(.notFound, "the model has no entity \(request.entityName)")
  }

  private func isAsked(
    _ own: EntityDescription, _ request: FetchRequest, _ entity: EntityDescription
  ) -> Bool { request.includesSubentities ? own.isKind(of: entity) : own === entity }

  /// The models that were asked for among those that a store found, each once.
  private func asked<T>(
    _ found: [T], _ request: FetchRequest, _ entity: EntityDescription,
    _ name: (T) -> (entity: EntityDescription, reference: Int64)
  ) -> [T] {
    var seen: Set<Int64> = []
    return found.filter {
      let (own, reference) = name($0)
      return isAsked(own, request, entity) && seen.insert(reference).inserted
    }
  }

  private func evaluated(
    _ request: FetchRequest, _ nodes: [IncrementalStoreNode], _ entity: EntityDescription
  ) throws -> [IncrementalStoreNode] {
    try FetchEvaluation(request.returning(.objects), entity: entity).nodes(
      asked(nodes, request, entity) { ($0.entity, $0.reference) }, in: self)
  }

  /// The part that was asked for, of what a store found that may have ignored limit and offset.
  ///
  /// Of a store of which that is not known yet, the first without an offset is found, too.
  private func page<T: Equatable>(
    _ found: [T], _ request: FetchRequest, first: () throws -> [T]?
  ) throws -> [T] {
    if let limit = request.effectiveFetchLimit, found.count > limit { ignoresPages = true }
    if ignoresPages == nil, request.fetchOffset > 0, let own = found.first {
      let head = try first() ?? []
      ignoresPages = head.count != 1 || head[0] == own
    }
    return ignoresPages == true ? request.page(of: found) : found
  }

  /// What the store answers; nil where it leaves that to the container.
  private func answer<R>(of request: FetchRequest, _ body: () throws -> R) throws -> R? {
    do { return try body() } catch DataStoreError.preferInMemoryFilter { return nil } catch DataStoreError
      .preferInMemorySort
    { return nil } catch DataStoreError.invalidPredicate {
      throw SwiftDataError(
        .unsupportedPredicate, "the store cannot be asked this condition of \(request.entityName)",
        cause: DataStoreError.invalidPredicate)
    }
  }

  /// The models of a descriptor, sorted here where the store prefers that; nil where it prefers to be
  /// filtered, too.
  private func fetch<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ request: FetchRequest, _ entity: EntityDescription
  ) throws -> [IncrementalStoreNode]? {
    func ask(_ descriptor: FetchDescriptor<T>) throws -> [IncrementalStoreNode] {
      let request = DataStoreFetchRequest(descriptor: descriptor, editingState: editingState)
      return try take(base.fetch(request))
    }
    do {
      func own(_ descriptor: FetchDescriptor<T>) throws -> [IncrementalStoreNode] {
        asked(try ask(descriptor), request, entity) { ($0.entity, $0.reference) }
      }
      let found = try own(descriptor)
      let ids = try page(found.map(\.objectID), request) { try own(descriptor.head).map(\.objectID) }
      if ids.count == found.count { return found }
      let wanted = Set(ids)
      return found.filter { wanted.contains($0.objectID) }
    } catch DataStoreError.preferInMemorySort {
      var unsorted = descriptor.whole
      unsorted.sortBy = []
      var rest = request
      rest.predicate = nil
      return try answer(of: request) { try ask(unsorted) }.map { try evaluated(rest, $0, entity) }
    } catch let error as DataStoreError {
      return try answer(of: request) { () throws -> [IncrementalStoreNode] in throw error }
    }
  }
}

extension FetchDescriptor {
  /// The same for all models, without a limit and an offset.
  fileprivate var whole: Self {
    var whole = self
    (whole.fetchLimit, whole.fetchOffset) = (nil, nil)
    return whole
  }

  /// The same for the first model alone.
  fileprivate var head: Self {
    var head = self
    (head.fetchLimit, head.fetchOffset) = (1, nil)
    return head
  }
}
