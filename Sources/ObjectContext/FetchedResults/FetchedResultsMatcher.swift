import ObjectModel
import ObjectQuery
import StoreContract

/// Decides which objects belong to live results, and where, without asking the store.
struct FetchedResultsMatcher {
  /// What a change means for results.
  enum Relevance {
    case nothing
    /// These changed; the rest stands where it stood.
    case objects(Set<ManagedObject>)
    /// The store has to be asked.
    case everything(Set<ManagedObject>)
  }

  private let request: FetchRequest
  private let entity: EntityDescription
  private let predicate: ResolvedPredicate?
  private let sort: ResolvedSort
  private let sectionName: ResolvedKeyPath?
  /// The root entities that conditions, order and section names refer to.
  private let others: Set<EntityDescription>
  /// Whether other objects, or what is stored, decide on each.
  private let isCut: Bool

  init(_ request: FetchRequest, _ entity: EntityDescription, sectionedBy name: String?) throws {
    self.request = request
    self.entity = entity
    predicate = try request.predicate.map { try ResolvedPredicate($0, for: entity) }
    sort = try ResolvedSort(request.sortDescriptors, for: entity)
    sectionName = try name.map { try ResolvedKeyPath($0.keyPathNames(), for: entity) }
    isCut =
      request.effectiveFetchLimit != nil || request.fetchOffset > 0 || request.search != nil
      || request.affectedStores != nil
      || !request.includesPendingChanges
    others = ReferencedKeyPaths(request, from: entity, and: name?.keyPathNames() ?? []).roots(from: entity)
  }

  func relevance(_ log: ChangeLog) -> Relevance {
    var changed: Set<ManagedObject> = []
    var leadsElsewhere = false
    for object in log.all {
      if belongs(object) { changed.insert(object) }
      if others.contains(object.entity.root) { leadsElsewhere = true }
    }
    if leadsElsewhere { return .everything(changed) }
    if changed.isEmpty { return .nothing }
    return isCut ? .everything(changed) : .objects(changed)
  }

  private func belongs(_ object: ManagedObject) -> Bool {
    request.includesSubentities ? object.entity.isKind(of: entity) : object.entity === entity
  }

  /// The list with changed objects taken out, or put where they belong now.
  func updated(_ old: [ManagedObject], _ changed: Set<ManagedObject>) throws -> [ManagedObject] {
    var result = old.filter { !changed.contains($0) }
    var come: [ManagedObject] = []
    for object in changed where try belongsNow(object) { come.append(object) }
    try come.sort { try sort.areInIncreasingOrder($0, $1) }
    if come.count > 16, come.count > result.count / 16 {
      result += come
      try result.sort { try sort.areInIncreasingOrder($0, $1) }
      return result
    }
    for object in come {
      var (low, high) = (0, result.count)
      while low < high {
        let middle = (low + high) / 2
        if try sort.areInIncreasingOrder(result[middle], object) { low = middle + 1 } else { high = middle }
      }
      result.insert(object, at: low)
    }
    return result
  }

  /// An object whose row was deleted is not among the results.
  private func belongsNow(_ object: ManagedObject) throws -> Bool {
    guard object.managedObjectContext != nil, !object.isDeleted else { return false }
    do {
      if !object.isInserted { _ = try object.row() }
      return try (predicate?.matches(object) ?? true) && !object.isDeleted
    } catch let error as ContextError where error.code == .objectNotFound {
      return false
    }
  }

  /// The root entities of the objects, and those that conditions, order and section names refer to.
  var roots: Set<EntityDescription> { others.union([entity.root]) }

  func sectionName(_ object: ManagedObject) throws -> String {
    guard let sectionName else { return "" }
    return try sectionName.value(object).text
  }
}
