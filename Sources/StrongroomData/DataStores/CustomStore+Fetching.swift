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
            try found.map(objectID).filter { isAsked($0.entity, request, entity) }
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
        let count = try answer(of: request) {
          try base.fetchCount(DataStoreFetchRequest(descriptor: descriptor, editingState: editingState))
        }
        if let count, count < 0 {
          throw StoreError(.invalidValue, "the store counts \(count) models of \(entity.name)")
        }
        guard let count else { return nil }
        if let limit = request.effectiveFetchLimit, count > limit { ignoresPages = true }
        if ignoresPages != true { return count }
        return min(max(count - max(request.fetchOffset, 0), 0), request.effectiveFetchLimit ?? .max)
      }
      return try open(type(entity)) ?? fetchNodes(request.returning(.objects), lookup: nil).count
    }
  }

  private func entity(_ request: FetchRequest) throws -> EntityDescription {
    if let entity = model.entity(named: request.entityName) { return entity }
    throw StoreError(.notFound, "the model has no entity \(request.entityName)")
  }

  private func isAsked(
    _ own: EntityDescription, _ request: FetchRequest, _ entity: EntityDescription
  ) -> Bool { request.includesSubentities ? own.isKind(of: entity) : own === entity }

  private func evaluated(
    _ request: FetchRequest, _ nodes: [IncrementalStoreNode], _ entity: EntityDescription
  ) throws -> [IncrementalStoreNode] {
    try FetchEvaluation(request.returning(.objects), entity: entity).nodes(
      nodes.filter { isAsked($0.entity, request, entity) }, in: self)
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
        var seen: Set<Int64> = []
        return try ask(descriptor).filter {
          isAsked($0.entity, request, entity) && seen.insert($0.reference).inserted
        }
      }
      let found = try own(descriptor)
      let ids = try page(found.map(\.objectID), request) { try own(descriptor.head).map(\.objectID) }
      if ids.count == found.count { return found }
      let wanted = Set(ids)
      return found.filter { wanted.contains($0.objectID) }
    } catch DataStoreError.preferInMemorySort {
      var unsorted = descriptor
      unsorted.sortBy = []
      unsorted.fetchLimit = nil
      unsorted.fetchOffset = nil
      var rest = request
      rest.predicate = nil
      return try answer(of: request) { try ask(unsorted) }.map { try evaluated(rest, $0, entity) }
    } catch let error as DataStoreError {
      return try answer(of: request) { () throws -> [IncrementalStoreNode] in throw error }
    }
  }
}

extension FetchDescriptor {
  /// The same for the first model alone.
  fileprivate var head: Self {
    var head = self
    (head.fetchLimit, head.fetchOffset) = (1, nil)
    return head
  }
}
