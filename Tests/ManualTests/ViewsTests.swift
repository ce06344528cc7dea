public import CrossUIShape
import StrongroomData
public import StrongroomViews
import Testing

@Model final class ShelfBook {
  var title: String
  var author: String?
  var isLent = false

  init(title: String, author: String? = nil, isLent: Bool = false) {
    self.title = title
    self.author = author
    self.isLent = isLent
  }
}

struct ShelfView: View {
  @Query(sort: \ShelfBook.title) var books: [ShelfBook]

  var body: [String] {
    if let error = _books.fetchError { return ["\(error)"] }
    return books.map(\.title)
  }
}

struct SearchView: View {
  @Query var books: [ShelfBook]

  init(_ text: String, newestFirst: Bool) {
    _books = Query(
      filter: #Predicate { text.isEmpty || $0.title.contains(text) }, sort: \.title,
      order: newestFirst ? .reverse : .forward, animation: .default)
  }

  var body: [String] { books.map(\.title) }
}

struct AuthorsView: View {
  @Query(sort: [SortDescriptor(\ShelfBook.title)], sectionBy: \.author) var books: [ShelfBook]

  var body: [String] {
    (_books.sections?.map { "\($0.title): \($0.map(\.title).joined(separator: ", "))" }) ?? []
  }
}

private struct ModelSourceKey: EnvironmentKey {
  static let defaultValue: ModelSource? = nil
}

extension EnvironmentValues {
  var modelSource: ModelSource? {
    get { self[ModelSourceKey.self] }
    set { self[ModelSourceKey.self] = newValue }
  }

  @MainActor var modelContext: ModelContext {
    get { (modelSource ?? .shared).modelContext }
    set { modelSource = ModelSource(newValue) }
  }
}

extension Query: @preconcurrency DynamicProperty {
  /// Fetches from the environment's container.
  public func update(with environment: EnvironmentValues, previousValue: Query?) {
    update(from: environment.modelSource ?? .shared)
  }
}

extension View {
  func modelContainer(_ container: ModelContainer) -> some View {
    environment(\.modelSource, ModelSource(container))
  }

  func modelContext(_ context: ModelContext) -> some View {
    environment(\.modelSource, ModelSource(context))
  }

  func modelContainer(
    for types: any PersistentModel.Type..., inMemory: Bool = false, isAutosaveEnabled: Bool = true,
    isUndoEnabled: Bool = false, onSetup: (Result<ModelContainer, any Error>) -> Void = { _ in }
  ) -> some View {
    environment(
      \.modelSource,
      ModelSource(
        for: types, inMemory: inMemory, isAutosaveEnabled: isAutosaveEnabled,
        isUndoEnabled: isUndoEnabled, onSetup: onSetup))
  }
}

@MainActor
@Suite("The manual on views")
struct ViewsTests {
  private let container: ModelContainer
  private let graph = ViewGraph()
  private var context: ModelContext { container.mainContext }

  init() throws {
    container = try ModelContainer(for: ShelfBook.self, configurations: .init(isStoredInMemoryOnly: true))
    for (title, author) in [
      ("Emma", "Austen"), ("Ulysses", "Joyce"), ("Persuasion", "Austen"), ("Beowulf", nil),
    ] {
      context.insert(ShelfBook(title: title, author: author))
    }
    try context.save()
  }

  @Test("A view shows its models, and is computed again when they change")
  func changes() throws {
    let view = ShelfView().modelContainer(container)
    #expect(graph.render(view) == ["Beowulf", "Emma", "Persuasion", "Ulysses"])
    #expect(graph.render(view).count == 4 && graph.computations == 1)
    context.insert(ShelfBook(title: "Dracula"))
    context.processPendingChanges()
    #expect(graph.render(view) == ["Beowulf", "Dracula", "Emma", "Persuasion", "Ulysses"])
    #expect(graph.computations == 2)
  }

  @Test("What is searched for may change with each view")
  func search() throws {
    #expect(graph.render(SearchView("", newestFirst: false).modelContainer(container)).count == 4)
    let found = graph.render(SearchView("s", newestFirst: true).modelContainer(container), isNew: true)
    #expect(found == ["Ulysses", "Persuasion"])
    context.insert(ShelfBook(title: "Les Mots"))
    context.processPendingChanges()
    let more = graph.render(SearchView("s", newestFirst: true).modelContainer(container))
    #expect(more == ["Ulysses", "Persuasion", "Les Mots"])
  }

  @Test("Sections")
  func sections() throws {
    let view = AuthorsView().modelContext(context)
    #expect(graph.render(view) == [": Beowulf", "Austen: Emma, Persuasion", "Joyce: Ulysses"])
  }

  @Test("An error is shown, and goes with its cause")
  func errors() throws {
    #expect(graph.render(ShelfView()).first?.contains("missingModelContext") == true)
    let other = ShelfView().modelContainer(for: Visit.self, inMemory: true)
    #expect(graph.render(other, isNew: true).first?.contains("ShelfBook") == true)
    #expect(graph.render(ShelfView().modelContainer(container), isNew: true).count == 4)
  }

  @Test("A container for a view")
  func made() throws {
    var made: ModelContainer?
    let view = ShelfView().modelContainer(for: ShelfBook.self, inMemory: true, isUndoEnabled: true) {
      made = try? $0.get()
    }
    #expect(graph.render(view) == [])
    let context = try #require(made?.mainContext)
    #expect(context.undoManager != nil && context.autosaveEnabled)
    context.insert(ShelfBook(title: "Emma"))
    context.processPendingChanges()
    #expect(graph.render(view) == ["Emma"])
  }
}
