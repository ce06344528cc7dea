import StrongroomData

/// The results of one fetch in one context, which all queries of the same fetch show.
@MainActor
final class QueryResults<Element: PersistentModel, Result: QueryResult> where Result.Element == Element {
  private enum Observed {
    case plain(ResultsObserver<Element, Never>)
    case sectioned(ResultsObserver<Element, String>)
  }

  let modelContext: ModelContext
  private let observed: Observed
  private let descriptor: ComparedDescriptor<Element>
  private let path: PartialKeyPath<Element>?
  private var listeners: [Weak<QueryListener>] = []
  /// Both are made at the first access after a change.
  private var made: Result?
  private var madeSections: SectionedResults<Element, String>?

  /// The results that other views show already, or new ones.
  ///
  /// One statement for new ones.
  static func of(_ query: Query<Element, Result>, in context: ModelContext) throws -> QueryResults {
    let (shown, descriptor) = (ShownResults<QueryResults>.shared, ComparedDescriptor(query.fetchDescriptor))
    for case let known? in shown.all.lazy.map(\.object)
    where known.modelContext === context && known.path == query.sectioning?.anyPath
      && known.descriptor == descriptor
    { return known }
    let new = try QueryResults(query, descriptor, context)
    shown.add(new)
    return new
  }

  private init(
    _ query: Query<Element, Result>, _ compared: ComparedDescriptor<Element>, _ context: ModelContext
  ) throws {
    modelContext = context
    descriptor = compared
    let descriptor = query.fetchDescriptor
    path = query.sectioning?.anyPath
    switch query.sectioning?.path {
    case nil: observed = .plain(try ResultsObserver(fetchDescriptor: descriptor, modelContext: context))
    case .text(let path)?:
      observed = .sectioned(
        try ResultsObserver(fetchDescriptor: descriptor, sectionBy: path, modelContext: context))
    case .optionalText(let path)?:
      observed = .sectioned(
        try ResultsObserver(fetchDescriptor: descriptor, sectionBy: path, modelContext: context))
    }
    let changed: () -> Void = { [weak self] in self?.didChange() }
    switch observed {
    case .plain(let observer): observer.onChange = changed
    case .sectioned(let observer): observer.onChange = changed
    }
  }

  /// Reading them is observed, whether they are made or not.
  private var results: FetchResultsCollection<Element> {
    switch observed {
    case .plain(let observer): observer.results
    case .sectioned(let observer): observer.results
    }
  }

  var value: Result {
    let results = results
    if let made { return made }
    let new = Result(results)
    made = new
    return new
  }

  var sections: SectionedResults<Element, String>? {
    guard case .sectioned(let observer) = observed else { return nil }
    _ = results
    if madeSections == nil { madeSections = observer.sections }
    return madeSections
  }

  var failure: (any Error)? {
    switch observed {
    case .plain(let observer): observer.failure
    case .sectioned(let observer): observer.failure
    }
  }

  /// Tells a query of changes from now on, as long as it is there.
  func add(_ listener: QueryListener) {
    listeners.removeAll { $0.object == nil }
    listeners.append(Weak(listener))
  }

  private func didChange() {
    made = nil
    madeSections = nil
    for listener in listeners { listener.object?.modelsChanged() }
  }
}
