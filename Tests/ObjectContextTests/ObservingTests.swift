import Strongroom
import Testing

@Suite("Being told of changes")
struct ObservingTests {
  @Test("costs nothing any more once nobody listens")
  func ends() async throws {
    let context = try await Shelf(inMemory: true).container.newContext()
    var authors: FetchedResultsController? = try FetchedResultsController(
      FetchRequest("Author", sort: [FetchSort("name")]), in: context)
    var changes: AsyncStream? = context.objectChanges()
    try authors?.performFetch()
    try context.insert("Author")
    context.processPendingChanges()
    #expect(context.isObserved && authors?.objects.count == 1)
    authors = nil
    try context.insert("Author")
    context.processPendingChanges()
    #expect(context.isObserved)
    withExtendedLifetime(changes) {}
    changes = nil
    try context.insert("Author")
    context.processPendingChanges()
    #expect(!context.isObserved)
    let later = context.objectChanges()
    #expect(context.isObserved)
    withExtendedLifetime(later) {}
  }
}
