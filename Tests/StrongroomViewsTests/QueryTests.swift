import Foundation
import StrongroomData
import Testing

@testable import StrongroomViews

@Model final class Tape {
  var title: String
  var band: String?

  init(_ title: String, band: String? = nil) {
    self.title = title
    self.band = band
  }
}

/// On the main actor, as views are.
@MainActor
private struct Shelf {
  @Query var all: [Tape]
  @Query private var alone: [Tape]
  var name = ""

  var count: Int { alone.count }
}

@MainActor
@Suite("Queries of views", .serialized)
struct QueryTests {
  private static func container(_ titles: String...) throws -> ModelContainer {
    let container = try ModelContainer(for: Tape.self, configurations: .init(isStoredInMemoryOnly: true))
    for title in titles { container.mainContext.insert(Tape(title)) }
    try container.mainContext.save()
    return container
  }

  private static func titles(_ query: Query<Tape, [Tape]>) -> [String] {
    query.wrappedValue.map(\.title).sorted()
  }

  @Test("without arguments have all models, in views that are made without them")
  func bare() throws {
    let container = try Self.container("a", "b")
    ModelSource.shared = ModelSource(container)
    defer { ModelSource.shared = ModelSource() }
    let shelf = Shelf(name: "")
    #expect(shelf.all.count == 2 && shelf.count == 2)
    #expect(shelf.name.isEmpty)
  }

  @Test("lose their error with its cause")
  func errors() throws {
    let source = ModelSource(try Self.container("a"))
    let query = Query<Tape, [Tape]>()
    query.update(from: source)
    #expect(query.fetchError == nil)
    query.update(from: ModelSource())
    #expect(query.fetchError as? SwiftDataError == .missingModelContext)
    #expect(Self.titles(query) == ["a"])
    query.update(from: source)
    #expect(query.fetchError == nil && Self.titles(query) == ["a"])
  }

  @Test("follow what is shared, whenever it is set")
  func shared() throws {
    defer { ModelSource.shared = ModelSource() }
    let query = Query<Tape, [Tape]>()
    query.update()
    #expect(query.fetchError != nil && query.wrappedValue.isEmpty)
    ModelSource.shared = ModelSource(try Self.container("a"))
    #expect(Self.titles(query) == ["a"] && query.fetchError == nil)
    ModelSource.shared = ModelSource(try Self.container("b", "c"))
    #expect(Self.titles(query) == ["b", "c"])
    // What a framework gives has precedence from then on.
    query.update(from: ModelSource(try Self.container("d")))
    query.update()
    #expect(Self.titles(query) == ["d"])
  }

  @Test("of the same fetch share results, others do not")
  func sharing() throws {
    let source = ModelSource(try Self.container("a", "b"))
    func results(_ query: Query<Tape, [Tape]>) throws -> ObjectIdentifier {
      query.update(from: source)
      let all = ShownResults<QueryResults<Tape, [Tape]>>.shared.all.compactMap(\.object)
      return ObjectIdentifier(try #require(all.last))
    }
    let title = "a"
    let queries: [Query<Tape, [Tape]>] = [
      Query(filter: #Predicate { $0.title == title }, sort: \.title),
      Query(filter: #Predicate { $0.title == "b" }, sort: \.title),
      Query(filter: #Predicate { $0.title == title }, sort: \.title, order: .reverse),
      Query(FetchDescriptor<Tape>(sortBy: [SortDescriptor(\.title)])),
      Query(sort: [SortDescriptor(\Tape.title)], sectionBy: \.band),
    ]
    let own = try queries.map(results)
    #expect(Set(own).count == queries.count)
    let same = Query<Tape, [Tape]>(filter: #Predicate { $0.title == title }, sort: \.title)
    same.update(from: source)
    #expect(ShownResults<QueryResults<Tape, [Tape]>>.shared.all.compactMap(\.object).count == queries.count)
    withExtendedLifetime(queries) {}
  }

  @Test("tell each view of a change, also of one owner, and after they have another source")
  func listening() throws {
    let (one, other) = (try Self.container("a"), try Self.container("b"))
    let owner = NSObject()
    let queries = (0..<2).map { _ in Query<Tape, [Tape]>(sort: \.title) }
    var calls = [0, 0]
    for (place, query) in queries.enumerated() {
      query.update(from: ModelSource(one))
      query.onChange(of: owner) { _ in calls[place] += 1 }
    }
    one.mainContext.insert(Tape("c"))
    one.mainContext.processPendingChanges()
    #expect(calls == [1, 1])
    queries[0].update(from: ModelSource(other))
    other.mainContext.insert(Tape("d"))
    other.mainContext.processPendingChanges()
    #expect(calls == [2, 1])
  }

  @Test("do not call for an owner that is released, and retain no results")
  func lifetimes() throws {
    let container = try Self.container("a")
    var calls = 0
    var owner: NSObject? = NSObject()
    var query: Query<Tape, [Tape]>? = Query(sort: \.title)
    query?.update(from: ModelSource(container))
    if let owner { query?.onChange(of: owner) { _ in calls += 1 } }
    owner = nil
    container.mainContext.insert(Tape("b"))
    container.mainContext.processPendingChanges()
    #expect(calls == 0 && query?.wrappedValue.count == 2)
    query = nil
    #expect(ShownResults<QueryResults<Tape, [Tape]>>.shared.all.allSatisfy { $0.object == nil })
  }

  @Test("have sections that are made once a change")
  func sections() throws {
    let container = try Self.container("a", "b")
    let query = Query<Tape, [Tape]>(sort: \.title, sectionBy: \.band)
    query.update(from: ModelSource(container))
    #expect(query.sections?.map(\.title) == [""])
    container.mainContext.insert(Tape("c", band: "X"))
    container.mainContext.processPendingChanges()
    #expect(query.sections?.map(\.title) == ["", "X"])
  }

  @Test("Containers of classes are opened once for the views that show them")
  func containers() throws {
    var opened = 0
    func source() -> ModelSource { ModelSource(for: [Tape.self], inMemory: true) { _ in opened += 1 } }
    var first: ModelSource? = source()
    let context = try #require(first?.modelContext)
    #expect(source().modelContext === context && opened == 1)
    let undone = ModelSource(for: [Tape.self], inMemory: true, isUndoEnabled: true) { _ in opened += 1 }
    #expect(undone.modelContext !== context && opened == 2)
    first = nil
    #expect(first == nil)
  }
}
