import Strongroom
import Testing

@Suite("Observing changes")
struct ObservingTests {
  @Test("costs nothing once the last listener stopped")
  func ends() async throws {
    let context = try await Shelf(inMemory: true).container.newContext()
    var authors: FetchedResultsController? = try FetchedResultsController(
      FetchRequest("Author", sortDescriptors: [FetchSortDescriptor("name")]), in: context)
    var changes: AsyncStream? = context.didChangeObjects()
    try authors?.performFetch()
    try context.insert("Author")
    context.processPendingChanges()
    #expect(context.graph.isObserved && authors?.fetchedObjects.count == 1)
    authors = nil
    try context.insert("Author")
    context.processPendingChanges()
    #expect(context.graph.isObserved)
    withExtendedLifetime(changes) {}
    changes = nil
    try context.insert("Author")
    context.processPendingChanges()
    #expect(!context.graph.isObserved)
    let later = context.didChangeObjects()
    #expect(context.graph.isObserved)
    withExtendedLifetime(later) {}
  }
}
