public import Foundation
import ObjectModel
public import ObjectQuery
public import Observation
import StoreContract

/// The objects of a request, updated as objects change: for lists on a screen.
///
/// After the first fetch it issues no statement for changes made in its context: changed objects
/// are evaluated in memory and moved to their positions. Saves of other contexts show once the
/// context has merged them, with one statement for the changed rows. Changes of other entities cost
/// nothing. These requests are fetched again instead: those with a limit, an offset, a search or
/// affected stores; those whose conditions cross relationships to entities that changed; those
/// without pending changes, at each save; and all after the context merged a commit of another
/// process.
///
/// Use it in its context's isolation. It is `@Observable`: views that read `objects` or `sections`
/// are updated.
@Observable
public final class FetchedResultsController<T: ManagedObject> {
  /// The request.
  public let fetchRequest: FetchRequest
  /// The property that names the sections; nil for one section.
  public let sectionNameKeyPath: String?
  /// The objects, in the request's order.
  public private(set) var fetchedObjects: [T] = []
  /// The objects by section; none without objects.
  public private(set) var sections: [FetchedResultsSection<T>] = []
  /// Called with what changed, once it has; without changes when `failure` is set or cleared.
  @ObservationIgnored public var onChange: (([FetchedResultsChange<T>]) -> Void)?

  @ObservationIgnored private let context: ManagedObjectContext
  @ObservationIgnored private let entity: EntityDescription
  @ObservationIgnored private let judge: FetchedResultsMatcher
  /// Why the last change could not be shown; the next event tries again.
  ///
  /// Nil when all went well. Setting and clearing it calls `onChange`, without changes.
  public private(set) var failure: (any Error)?
  @ObservationIgnored var isStale = false
  @ObservationIgnored private var hasFetched = false
  @ObservationIgnored private var names: [String] = []
  /// Whether the last reported snapshot has temporary IDs.
  @ObservationIgnored private var reportedTemporaryIDs = false
  @ObservationIgnored private let streams = ChangeStreams<FetchedResultsSnapshot>()

  /// Makes a controller; `performFetch()` fills it.
  ///
  /// Issues no statement.
  ///
  /// - Parameters:
  ///   - request: The objects, and their order.
  ///   - context: The context of the objects.
  ///   - sectionNameKeyPath: An attribute, through to-ones if need be. The request's order has to
  ///     keep the objects of a section together: sort by it first.
  ///   - type: The class of the objects.
  /// - Throws: `ContextError` when the request's objects are not of the class asked for,
  ///   `QueryError` for unknown names.
  public init(
    _ request: FetchRequest, in context: ManagedObjectContext, sectionedBy sectionNameKeyPath: String? = nil,
    as type: T.Type = ManagedObject.self
  ) throws {
    self.fetchRequest = request
    self.sectionNameKeyPath = sectionNameKeyPath
    self.context = context
    entity = try context.graph.fetching.check(request, type)
    judge = try FetchedResultsMatcher(request, entity, sectionedBy: sectionNameKeyPath)
    context.graph.notifications.add(self)
  }

  deinit { streams.finish() }

  /// Fetches the objects.
  ///
  /// One statement.
  /// - Throws: as `ManagedObjectContext.fetch(_:as:)`.
  public func performFetch() throws {
    let found = try context.fetch(fetchRequest, as: T.self)
    hasFetched = true
    // One that is inserted now and deleted in the same event is no change that the event reports.
    isStale = context.graph.notifications.hasInsertions
    try show(found, changed: [])
  }

  /// The object at a place.
  public func object(at indexPath: IndexPath) -> T {
    sections[indexPath.section].objects[indexPath.item]
  }

  /// Where an object stands; nil when it is not among the results.
  ///
  /// O(n).
  public func indexPath(forObject object: T) -> IndexPath? {
    for (section, own) in sections.enumerated() {
      if let item = own.objects.firstIndex(where: { $0 === object }) {
        return IndexPath(item: item, section: section)
      }
    }
    return nil
  }

  /// The IDs by section, for code on another isolation.
  public var snapshot: FetchedResultsSnapshot {
    FetchedResultsSnapshot(
      sections: sections.map { .init(name: $0.name, objectIDs: $0.objects.map(\.objectID)) })
  }

  /// A snapshot after each change, and after a save when the last one had temporary IDs.
  public func changes() -> AsyncStream<FetchedResultsSnapshot> { streams.stream() }

  /// Puts a new list in place, and tells what became of the old one.
  ///
  /// - `keepsNames`: Whether objects that did not change have the section names they had.
  private func show(_ new: [T], changed: Set<ManagedObject>, keepsNames: Bool = false) throws {
    if sectionNameKeyPath == nil, !new.isEmpty, new.elementsEqual(fetchedObjects, by: ===) {
      return showUpdates(of: changed)
    }
    let old = sections
    let oldNames = Dictionary(
      zip(fetchedObjects.map { ObjectIdentifier($0) }, names), uniquingKeysWith: { first, _ in first })
    let newNames = try new.map { object in
      if keepsNames, !changed.contains(object), let known = oldNames[ObjectIdentifier(object)] {
        return known
      }
      return try judge.sectionName(object)
    }
    var made: [FetchedResultsSection<T>] = []
    for (object, name) in zip(new, newNames) {
      if made.last?.name != name { made.append(FetchedResultsSection(name: name, objects: [])) }
      made[made.count - 1].objects.append(object)
    }
    let difference = FetchedResultsDifference(from: old, to: made, changed: changed).changes
    if difference.isEmpty, fetchedObjects.count == new.count { return }
    fetchedObjects = new
    names = newNames
    sections = made
    report(difference)
  }

  /// Tells which objects of the one section changed, where each stands as it stood.
  private func showUpdates(of changed: Set<ManagedObject>) {
    if changed.isEmpty { return }
    let wanted = Set(changed.map { ObjectIdentifier($0) })
    var updates: [FetchedResultsChange<T>] = []
    for (item, object) in fetchedObjects.enumerated() where wanted.contains(ObjectIdentifier(object)) {
      updates.append(.update(object, at: IndexPath(item: item, section: 0)))
    }
    if !updates.isEmpty { report(updates) }
  }

  private func report(_ difference: [FetchedResultsChange<T>]) {
    // The same objects with other values are a change too.
    withMutation(keyPath: \.fetchedObjects) {}
    withMutation(keyPath: \.sections) {}
    if difference.isEmpty { return }
    onChange?(difference)
    notify()
  }

  private func notify() {
    reportedTemporaryIDs = fetchedObjects.contains { $0.reference < 0 }
    if !streams.isEmpty { streams.yield(snapshot) }
  }
}

extension FetchedResultsController: ChangeObserver {
  var isOfStoreOnly: Bool { !fetchRequest.includesPendingChanges }

  func objectsWereRenamed() { if reportedTemporaryIDs { notify() } }

  var rootNames: Set<String> { Set(judge.roots.map(\.name)) }

  func receive(_ log: ChangeLog) {
    guard hasFetched else { return }
    do {
      switch isStale ? .everything(log.changed) : judge.relevance(log) {
      case .nothing: return
      case .everything(let changed):
        try show(try context.fetch(fetchRequest, as: T.self), changed: changed)
      case .objects(let changed):
        // The classes of the request's entity are what its objects are made of.
        let new = try judge.updated(unsafeBitCast(fetchedObjects, to: [ManagedObject].self), changed)
        try show(unsafeBitCast(new, to: [T].self), changed: changed, keepsNames: true)
      }
      isStale = false
      if failure != nil {
        failure = nil
        onChange?([])
      }
    } catch {
      // The next event fetches again.
      isStale = true
      failure = error
      onChange?([])
    }
  }
}
