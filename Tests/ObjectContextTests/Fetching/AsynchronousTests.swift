import Foundation
import Locks
import Strongroom
import Testing

@Suite("An asynchronous fetch")
@MainActor
struct AsynchronousTests {
  private func shelf(_ count: Int) async throws -> Shelf {
    let shelf = try await Shelf(try TypedLibrary.model())
    let context = shelf.container.newContext()
    let topic = try context.insert("Topic")
    for number in 0..<count {
      let volume = try context.insert("Volume")
      try volume.setValue(.integer(Int64(number)), forKey: "pages")
      try volume.add(topic, to: "topics")
    }
    try context.save()
    try TypedLibrary.register(shelf.container.persistentStoreCoordinator)
    return shelf
  }

  @Test("brings the same objects, tells how far it is, and counts what was changed meanwhile")
  func objects() async throws {
    let shelf = try await shelf(2000)
    let context = shelf.container.newContext()
    let heard = Locked<[Int]>([])
    let request = FetchRequest(
      "Volume", where: try FetchPredicate(format: "pages < 1500"),
      sortDescriptors: [FetchSortDescriptor("pages")])
    let before = try shelf.statements
    let volumes = try await context.fetchAsynchronously(request, as: Volume.self) { rows in
      heard.withLock { $0.append(rows) }
    }
    #expect(volumes.map(\.pages) == Array(0..<1500))
    #expect(try shelf.statements == before + 1)
    let steps = heard.withLock { $0 }
    #expect(steps.count == 6 && steps.last == 1500 && steps == steps.sorted())
    // Unsaved changes count, also those made while it runs.
    try volumes[0].set("pages", 9000)
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    let later = Task { @MainActor in
      try await context.fetchAsynchronously(request, as: Volume.self) { rows in
        if rows != FetchProgress.stride { return }
        begin.yield()
        gate.wait()
      }.count
    }
    for await _ in begun { break }
    try volumes[1].set("pages", 9001)
    gate.signal()
    let count = try await later.value
    #expect(count == 1498)
  }

  @Test("is interrupted in the middle of a statement when its task is cancelled", .timeLimit(.minutes(30)))
  func cancelling() async throws {
    let shelf = try await shelf(1500)
    let context = shelf.container.newContext()
    // Every volume with every volume with every volume: hours.
    let text =
      "SUBQUERY(topics, $t, SUBQUERY($t.volumes, $v, SUBQUERY($v.topics, $u, ANY $u.volumes.price"
      + " == 1).@count > 0).@count > 0).@count > 0"
    let request = FetchRequest("Volume", where: try FetchPredicate(format: text))
    let task = Task { @MainActor in try await context.fetchAsynchronously(request, as: Volume.self).count }
    try await Task.sleep(for: .milliseconds(200))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // The connection is as good as before.
    #expect(try context.count(for: FetchRequest("Volume")) == 1500)
    #expect(try await context.fetchAsynchronously(FetchRequest("Volume")).count == 1500)
  }

  @Test("that is cancelled before it begins reads nothing")
  func cancelledBefore() async throws {
    let shelf = try await shelf(3)
    let context = shelf.container.newContext()
    let before = try shelf.statements
    let task = Task { @MainActor in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await context.fetchAsynchronously(FetchRequest("Volume")).count
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try shelf.statements == before)
  }
}
