// Actors with contexts of their own, and what runs them.

import Foundation
import SwiftData
import Synchronization
import Testing

/// Counts the jobs of an actor before another executor runs them.
final class CountingExecutor: SerialModelExecutor {
  private let base: DefaultSerialModelExecutor
  private let jobs = Atomic<Int>(0)

  var modelContext: ModelContext { base.modelContext }
  var jobCount: Int { jobs.load(ordering: .relaxed) }

  init(_ base: DefaultSerialModelExecutor) { self.base = base }

  func enqueue(_ job: consuming ExecutorJob) {
    jobs.add(1, ordering: .relaxed)
    base.enqueue(job)
  }
}

/// An actor that is written without the macro.
actor HarborMaster: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor
  nonisolated let counting: CountingExecutor

  init(_ container: ModelContainer) {
    modelContainer = container
    counting = CountingExecutor(DefaultSerialModelExecutor(modelContext: ModelContext(container)))
    modelExecutor = counting
  }

  func add(_ names: String...) throws -> [PersistentIdentifier] {
    let harbors = names.map { Harbor($0) }
    for harbor in harbors { modelContext.insert(harbor) }
    try modelContext.save()
    return harbors.map(\.persistentModelID)
  }

  func name(of id: PersistentIdentifier) -> String? { self[id, as: Harbor.self]?.name }

  var hasContextOfExecutor: Bool {
    modelContext === counting.modelContext && modelContext === modelExecutor.modelContext
  }
}

/// Works on the executor of another actor.
actor Deputy {
  private let master: HarborMaster

  nonisolated var unownedExecutor: UnownedSerialExecutor { master.unownedExecutor }

  init(_ master: HarborMaster) { self.master = master }

  func jobCount() -> Int { master.counting.jobCount }
}

/// Works on an executor with a context, and is no `ModelActor`.
actor Lookout {
  private let executor: DefaultSerialModelExecutor

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    (executor as DefaultSerialModelExecutor).asUnownedSerialExecutor()
  }

  init(_ executor: DefaultSerialModelExecutor) { self.executor = executor }

  /// Stops the process where it is not the executor that runs this.
  func count() throws -> Int {
    executor.checkIsolated()
    return try executor.modelContext.fetchCount(FetchDescriptor<Harbor>())
  }
}

@Suite("Model executors")
struct ModelExecutorsTests {
  @Test("An actor's work runs on the executor that it was given")
  func executors() async throws {
    let container = try ModelContext.harbor().container
    let master = HarborMaster(container)
    let ids = try await master.add("Brest", "Calais")
    #expect(await master.name(of: ids[1]) == "Calais")
    #expect(await master.hasContextOfExecutor && master.counting.jobCount >= 3)
    let before = master.counting.jobCount
    #expect(await Deputy(master).jobCount() > before)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Harbor>()) == 2)
  }

  @Test("The default executor has the context that it was made with, and runs any actor's work")
  func defaults() async throws {
    let context = try ModelContext.harbor()
    let executor = DefaultSerialModelExecutor(modelContext: ModelContext(context.container))
    let serial: any SerialModelExecutor = executor
    #expect(serial.modelContext === executor.modelContext && serial.modelContext !== context)
    context.insert(Harbor("Brest"))
    try context.save()
    #expect(try await Lookout(executor).count() == 1)
  }
}
