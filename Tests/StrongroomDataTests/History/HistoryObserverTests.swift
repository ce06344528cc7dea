import Foundation
import StrongroomData
import Testing

@Suite("Observing a history", .configuredStores)
struct HistoryObserverTests {
  private func wait(_ observer: HistoryObserver, for count: Int) async throws {
    for _ in 0..<8000 where observer.eventCounter < count { try await Task.sleep(for: .milliseconds(5)) }
    #expect(observer.eventCounter == count)
  }

  @Test("the container's own saves count, from now on")
  func ownSaves() async throws {
    let history = try History()
    try history.save("Ada")
    let observer = try HistoryObserver(modelContainer: history.container)
    #expect(observer.eventCounter == 0 && observer.modelContainer == history.container)
    let before = try #require(observer.historyTokens.values.first as? DefaultHistoryToken)
    #expect(try before == history.fetch().last?.token)
    try history.save("Bo")
    try await wait(observer, for: 1)
    let after = try #require(observer.historyTokens.values.first as? DefaultHistoryToken)
    let last = try history.fetch().last?.token
    #expect(after > before && after == last)
    try history.save("Cy")
    try await wait(observer, for: 2)
  }

  @Test("saves of another container count, and those before a token do not")
  func others() async throws {
    let history = try History()
    try history.save("Ada")
    let token = try #require(try history.fetch().last?.token)
    try history.save("Bo")
    let observer = try HistoryObserver(
      historyTokens: [token.storeIdentifier: token], modelContainer: history.container)
    // What was saved after the token is there already.
    try await wait(observer, for: 1)
    let other = ModelContext(try history.place.container(for: Parcel.self))
    other.insert(Parcel("Cy"))
    try other.save()
    try await wait(observer, for: 2)
  }

  @Test("only the classes and authors that are asked for count")
  func filters() async throws {
    let history = try History(Parcel.self, Depot.self)
    let depots = try HistoryObserver(observedModels: [Depot.self], modelContainer: history.container)
    let widget = try HistoryObserver(authors: ["widget"], modelContainer: history.container)
    #expect(depots.observedModels.count == 1 && widget.authors == ["widget"] && depots.historyTokens.isEmpty)
    try history.save("Ada", by: "app")
    try history.save("Bo", by: "widget")
    try await wait(widget, for: 1)
    history.context.author = nil
    history.context.insert(Depot("North"))
    try history.context.save()
    try await wait(depots, for: 1)
    #expect(widget.eventCounter == 1)
  }

  @Test("what is deleted before it was looked at counts")
  func expired() async throws {
    let history = try History()
    for name in ["Ada", "Bo", "Cy"] { try history.save(name) }
    let tokens = try history.fetch().map(\.token)
    try history.delete()
    let observer = try HistoryObserver(
      historyTokens: [tokens[0].storeIdentifier: tokens[0]], modelContainer: history.container)
    try await wait(observer, for: 1)
    #expect(observer.historyTokens.values.first as? DefaultHistoryToken == tokens[2])
  }

  @Test("the count changes on the actor that made the observer, and is observed")
  @MainActor func isolation() async throws {
    let history = try History()
    let observer = try HistoryObserver(modelContainer: history.container)
    try await withCheckedThrowingContinuation { continuation in
      withObservationTracking {
        _ = observer.eventCounter
      } onChange: {
        MainActor.assertIsolated()
        continuation.resume()
      }
      do { try history.save("Ada") } catch { continuation.resume(throwing: error) }
    }
    try await wait(observer, for: 1)
  }

  @Test("a notification is posted for what another container saved")
  func notifications() async throws {
    let history = try History()
    var posted = NotificationCenter.default.notifications(
      named: ModelContainer.remoteChange, object: history.container
    ).makeAsyncIterator()
    let other = ModelContext(try history.place.container(for: Parcel.self))
    other.insert(Parcel("Ada"))
    try other.save()
    #expect(await posted.next()?.object as? ModelContainer === history.container)
  }
}
