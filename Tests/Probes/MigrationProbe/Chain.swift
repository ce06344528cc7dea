import Foundation
import SeededRandom
import Strongroom

/// The versions of a model, and the migrations between them.
struct Chain {
  private let versions: [XCDataModelBundle.Version]
  private let models: [ManagedObjectModel?]
  private let failures: [String?]
  private let bench: MigrationBench
  private let objects: Int
  private let seed: UInt64

  init(versions: [XCDataModelBundle.Version], bench: MigrationBench, objects: Int, seed: UInt64) {
    self.versions = versions
    self.bench = bench
    self.objects = objects
    self.seed = seed
    let loaded = versions.map { version in Result { try ManagedObjectModel.load(version).model } }
    models = loaded.map { try? $0.get() }
    failures = loaded.map { result in
      guard case .failure(let error) = result else { return nil }
      return (error as? ModelError)?.issues.first?.description ?? "\(error)"
    }
  }

  func run() async throws {
    for (index, version) in versions.enumerated() {
      var event = Event(.version, to: index)
      event.name = version.name
      event.hash = models[index].map { model in
        model.versionHash.map { String($0, radix: 16) }.joined(separator: ".")
      }
      event.message = failures[index]
      try event.print()
    }
    for index in models.indices {
      if let model = models[index] { try await fill(index, model) }
    }
    for index in models.indices.dropLast() where models[index] != nil && models[index + 1] != nil {
      _ = try await migrate(.step, index, index + 1)
    }
    try await walk()
  }

  private func store(_ index: Int) -> String { "version-\(index).strongroom" }

  private func fill(_ index: Int, _ model: ManagedObjectModel) async throws {
    let container = bench.container(store(index), model)
    try await container.loadPersistentStores()
    var filler = ObjectFiller(
      container.newContext(), count: objects, random: Random(seed: seed &* 1_000_003 &+ UInt64(index)))
    let result = Result { try filler.fill() }
    try container.close()
    try result.get()
    var event = Event(.filled, to: index)
    event.database = try await bench.decrypt(store(index), to: "version-\(index).db")
    try event.print()
  }

  // MARK: One migration

  /// Migrates a copy of a filled store, and returns whether that was done.
  private func migrate(_ kind: Event.Kind, _ from: Int, _ to: Int) async throws -> Bool {
    guard let model = models[to] else { return false }
    let name = "\(kind.rawValue)-\(from)-\(to).strongroom"
    try bench.copy(store(from), to: name)
    defer { bench.remove(name) }
    var event = Event(kind, from: from, to: to)
    var problems: [String] = []
    event.forecast = try await bench.container(name, model).migrationForecasts().first
    let bytes = try Data(contentsOf: bench.url(name))
    do {
      try await bench.open(name, model)
      problems += try await SQLCipherStore.verify(bench.description(name)).map { "verify: \($0)" }
      event.database = try await bench.decrypt(name, to: "\(kind.rawValue)-\(from)-\(to).db")
    } catch let error as StoreError {
      event.code = "\(error.code)"
      event.message = error.message
      if try Data(contentsOf: bench.url(name)) != bytes { problems.append("a refusal changed the store") }
      if error.migrationForecast != event.forecast { problems.append("the refusal has another forecast") }
    } catch {
      problems.append("\(error)")
    }
    event.hasCopy = bench.takeCopy(name)
    event.problems = problems
    try event.print()
    return event.database != nil
  }

  // MARK: Step by step

  /// Goes from the first version as far as steps can be done, and on from where they cannot; each
  /// way is also jumped.
  private func walk() async throws {
    let last = models.count - 1
    guard let first = models.firstIndex(where: { $0 != nil }) else { return }
    var start = first
    var jumped: Set<[Int]> = []
    while start < last {
      guard models[start] != nil else {
        start += 1
        continue
      }
      let end = try await walk(from: start)
      if end > start + 1, jumped.insert([start, end]).inserted { _ = try await migrate(.jump, start, end) }
      start = end + 1
    }
    if last > first + 1, models[last] != nil, jumped.insert([first, last]).inserted {
      _ = try await migrate(.jump, first, last)
    }
  }

  private func walk(from start: Int) async throws -> Int {
    let name = "path-\(start).strongroom"
    try bench.copy(store(start), to: name)
    defer { bench.remove(name) }
    var end = start
    var event = Event(.path, from: start, to: start)
    while end + 1 < models.count, let model = models[end + 1] {
      do {
        try await bench.open(name, model)
        _ = bench.takeCopy(name)
        end += 1
      } catch let error as StoreError {
        event.code = "\(error.code)"
        event.message = error.message
        event.issues = error.migrationForecast?.issues.map(\.kind.rawValue)
        event.stoppedAt = end + 1
        break
      }
    }
    guard end > start else { return end }
    event.to = end
    event.database = try await bench.decrypt(name, to: "path-\(start)-\(end).db")
    event.problems = try await SQLCipherStore.verify(bench.description(name)).map { "verify: \($0)" }
    try event.print()
    return end
  }
}
