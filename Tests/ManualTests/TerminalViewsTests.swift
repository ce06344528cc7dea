import StrongroomData
public import StrongroomViews
public import TerminalUIShape
import Testing

extension Query: @preconcurrency DynamicProperty {}

struct LentView: View {
  @Query(filter: #Predicate { $0.isLent }, sort: \.title) var books: FetchResultsCollection<ShelfBook>
  let screen: Screen

  var body: [String] {
    _books.onChange(of: screen) { $0.setNeedsRender() }
    return books.map(\.title)
  }
}

@MainActor
@Suite("The manual on views in a terminal")
struct TerminalViewsTests {
  @Test("A view of a framework without an environment is drawn again when its models change")
  func shared() throws {
    let container = try ModelContainer(for: ShelfBook.self, configurations: .init(isStoredInMemoryOnly: true))
    ModelSource.shared = ModelSource(container)
    defer { ModelSource.shared = ModelSource() }
    let screen = Screen()
    let view = LentView(screen: screen)
    #expect(screen.draw(view) == [] && screen.requests == 0)
    let book = ShelfBook(title: "Emma", isLent: true)
    container.mainContext.insert(book)
    container.mainContext.processPendingChanges()
    #expect(screen.requests == 1 && screen.draw(LentView(screen: screen)) == ["Emma"])
    book.isLent = false
    container.mainContext.processPendingChanges()
    #expect(screen.requests == 2 && screen.draw(view) == [])
  }
}
