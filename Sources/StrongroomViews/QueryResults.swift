import StrongroomData

/// The results of one fetch in one context, which all queries of the same fetch show.
@MainActor
final class QueryResults<Element: PersistentModel, Result: QueryResult> where Result.Element == Element {
  private enum Observed {
    case plain(ResultsObserver<Element, Never>)
    case sectioned(ResultsObserver<Element, String>)
  }

  private struct Listener {
    weak var owner: AnyObject?
    let action: () -> Void
  }

  let modelContext: ModelContext
  private let observed: Observed
  private let descriptor: FetchDescriptor<Element>
  private let path: PartialKeyPath<Element>?
  private var listeners: [Listener] = []
  /// Made at the first access after a change.
  private var made: Result?

  /// The results that other views show already, or new ones.
  ///
  /// One statement for new ones.
  static func of(_ query: Query<Element, Result>, in context: ModelContext) throws -> QueryResults {
    for case let known as QueryResults in ShownResults.all
    where known.modelContext === context && known.path == query.sectioning?.anyPath
      && known.descriptor == query.fetchDescriptor
    { return known }
    let new = try QueryResults(query, context)
    ShownResults.add(new)
    return new
  }

  private init(_ query: Query<Element, Result>, _ context: ModelContext) throws {
    modelContext = context
    descriptor = query.fetchDescriptor
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
    if case .sectioned(let observer) = observed { observer.sections } else { nil }
  }

  var failure: (any Error)? {
    switch observed {
    case .plain(let observer): observer.failure
    case .sectioned(let observer): observer.failure
    }
  }

  func listen(_ owner: AnyObject, _ action: @escaping () -> Void) {
    listeners.removeAll { $0.owner == nil || $0.owner === owner }
    listeners.append(Listener(owner: owner, action: action))
  }

  private func didChange() {
    made = nil
    for listener in listeners where listener.owner != nil { listener.action() }
  }
}

/// The results that views show now.
@MainActor
private enum ShownResults {
  private struct Weak { weak var results: AnyObject? }

  private static var shown: [Weak] = []

  static var all: [AnyObject] { shown.compactMap(\.results) }

  static func add(_ results: AnyObject) {
    shown.removeAll { $0.results == nil }
    shown.append(Weak(results: results))
  }
}
