public import StrongroomData

/// The models of a fetch as a property of a view: `@Query(sort: \.title) var books: [Book]`.
///
/// A view framework calls `update(from:)` before it computes a view's body. The models follow changes, as
/// those of a `ResultsObserver`: a body that is computed inside observation tracking is computed again
/// after each, and `onChange` tells frameworks that track nothing. Views with the same fetch in the same
/// context share its results.
///
/// What cannot be fetched is `fetchError`, with the results as they were. Lives on the main actor, where
/// views do.
@MainActor
@propertyWrapper
public struct Query<Element: PersistentModel, Result: QueryResult> where Result.Element == Element {
  /// What is fetched.
  public let fetchDescriptor: FetchDescriptor<Element>
  /// The animation that a framework may show changes with.
  public let animation: QueryAnimation?
  let sectioning: QuerySectioning<Element>?
  private let shown = Shown()

  /// What the last update found.
  ///
  /// A class, since frameworks update copies of their views.
  private final class Shown {
    var results: QueryResults<Element, Result>?
    var error: (any Error)?
    /// What a framework gave.
    var source: ModelSource?
    let listener: QueryListener

    @MainActor
    init() { listener = QueryListener() }
  }

  /// All models, in no order: `@Query var books: [Book]`.
  ///
  /// Here and not in an extension: a property without arguments is made with this one.
  public init() { self.init(FetchDescriptor(), nil, .default) }

  init(
    _ fetchDescriptor: FetchDescriptor<Element>, _ sectioning: QuerySectioning<Element>?,
    _ animation: QueryAnimation?
  ) {
    self.fetchDescriptor = fetchDescriptor
    self.sectioning = sectioning
    self.animation = animation
  }

  /// Fetches what the query describes, where a source's views have not fetched it already.
  ///
  /// One statement, and none where the results are there. Never throws: see `fetchError`.
  public func update(from source: ModelSource) {
    shown.source = source
    fetch(from: source)
  }

  /// Fetches from `ModelSource.shared`, for frameworks without an environment.
  ///
  /// One statement, as `update(from:)`.
  public func update() { fetch(from: shown.source ?? .shared) }

  private func fetch(from source: ModelSource) {
    do {
      let context = try source.connectedContext
      if shown.results?.modelContext !== context {
        shown.results = try QueryResults.of(self, in: context)
        shown.results?.add(shown.listener)
      }
      shown.error = nil
    } catch {
      shown.error = error
    }
  }

  private var results: QueryResults<Element, Result>? {
    // What is shared may have been set, or be another one, since.
    if shown.source == nil { fetch(from: .shared) }
    return shown.results
  }

  /// The models; none where they cannot be fetched.
  ///
  /// No statement, except that a query which no framework has updated fetches from `ModelSource.shared`.
  public var wrappedValue: Result { results?.value ?? Result(FetchResultsCollection([])) }

  /// Why the models cannot be fetched or a change not be shown; nil when all went well.
  public var fetchError: (any Error)? {
    let results = results
    return shown.error ?? results?.failure
  }

  /// The models by the property to section by; nil without one.
  public var sections: SectionedResults<Element, String>? { results?.sections }

  /// The context of the models.
  public var modelContext: ModelContext { (shown.source ?? .shared).modelContext }

  /// Calls a closure after each change of the models that this view shows, and when a change cannot be shown,
  /// in place of the closure before.
  ///
  /// Views with the same fetch have a closure each. It is called with `owner`, as long as that lives and the
  /// view does; one that captures the view or its properties retains itself, and the view with it.
  public func onChange<Owner: AnyObject>(of owner: Owner, _ action: @escaping (Owner) -> Void) {
    shown.listener.set(owner, action)
  }
}
