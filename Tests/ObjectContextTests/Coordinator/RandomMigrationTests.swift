import Foundation
import MigrationPlace
import Strongroom
import Testing

/// Random models and changes: what the forecast says is what happens.
@Suite("A forecast and its migration agree for random pairs of models")
struct RandomMigrationTests {
  /// Another one with `STRONGROOM_FIRST_MIGRATION`.
  private static let first =
    ProcessInfo.processInfo.environment["STRONGROOM_FIRST_MIGRATION"].flatMap { UInt64($0) } ?? 1
  /// More with `STRONGROOM_MIGRATIONS=2000`.
  private static let count =
    ProcessInfo.processInfo.environment["STRONGROOM_MIGRATIONS"].flatMap { UInt64($0) } ?? 120

  @Test(
    "counts of what is dropped, of defaults and of failures are exact, and stores stay whole",
    arguments: MigrationPlace.Kind.all)
  func agreement(kind: MigrationPlace.Kind) async throws {
    var outcomes: [String: Int] = [:]
    for seed in Self.first...(Self.first + Self.count - 1) {
      var random = RandomModel(seed: seed)
      guard let old = random.model else { continue }
      random.change()
      guard let new = random.model, new.versionHash != old.versionHash else { continue }
      outcomes[try await compare(old, new, seed, kind), default: 0] += 1
    }
    #expect(outcomes["refused", default: 0] > 5 && outcomes["lossy", default: 0] > 5)
    #expect(outcomes["lossless", default: 0] > 5, "\(outcomes)")
  }

  private func compare(
    _ old: ManagedObjectModel, _ new: ManagedObjectModel, _ seed: UInt64,
    _ kind: MigrationPlace.Kind
  ) async throws -> String {
    let place = try MigrationPlace(kind)
    let before = try await place.with(old) { context in
      try StoreContents.fill(context, old, seed: seed)
      return try StoreContents(context, old)
    }
    let bytes = try place.bytes()
    let forecast = try await place.forecast(new)
    let label: Comment = "seed \(seed)\n\(forecast.lines.joined(separator: "\n"))"
    #expect(try place.bytes() == bytes, label)
    if !forecast.issues.isEmpty {
      let error = try await place.refusal(new)
      #expect(error?.code == .modelMismatch && error?.migrationForecast == forecast, label)
      #expect(try place.bytes() == bytes, label)
      return "refused"
    }
    let strict = try await place.refusal(new) { $0.allowsLossyMigration = false }
    #expect((strict?.code == .lossyMigration) == forecast.isLossy, label)
    if forecast.isLossy {
      #expect(strict?.migrationForecast == forecast, label)
      #expect(try place.bytes() == bytes, label)
    }
    let after = try await place.with(new) { try StoreContents($0, new) }
    #expect(try await place.forecast(new).isCurrent, label)
    #expect(try place.hasCopy() == (forecast.isLossy && strict != nil), label)
    compare(before, after, forecast, label)
    let problems = try await place.problems()
    #expect(problems.isEmpty, "\(label)\n\(problems)")
    return forecast.isLossy ? "lossy" : "lossless"
  }

  private func compare(
    _ before: StoreContents, _ after: StoreContents, _ forecast: MigrationForecast, _ label: Comment
  ) {
    let dropped = Set(forecast.entities.filter { $0.change == .dropped }.map(\.name))
    for entity in forecast.entities where entity.change != .added {
      let former = before.tags[entity.formerName ?? entity.name, default: []]
      #expect(former.count == entity.objectCount, label)
      if entity.change != .dropped { #expect(after.tags[entity.name, default: []] == former, label) }
    }
    let remaining = Set(before.tags.filter { !dropped.contains($0.key) }.flatMap(\.value))
    // Values.
    let present = Set(after.values.values.joined())
    var lost: [String: Int] = [:]
    for (name, values) in before.values {
      lost[name] = values.count { remaining.contains($0.tag) && !present.contains($0) }
    }
    #expect(lost.values.reduce(0, +) == forecast.droppedValueCount, label)
    for entity in forecast.entities {
      for property in entity.properties where property.change == .dropped && !property.isRelationship {
        let name = "\(entity.formerName ?? entity.name).\(property.name)"
        #expect(lost[name, default: 0] == property.droppedCount, label)
      }
    }
    // References.
    var missing = before.pairs.filter {
      remaining.contains($0.source) || $0.hasInverse && remaining.contains($0.destination)
    }.reduce(into: [StoreContents.Pair: Int]()) {
      $0[StoreContents.Pair($1.source, $1.destination), default: 0] += 1
    }
    for (pair, count) in after.pairCounts {
      #expect(missing[pair, default: 0] >= count, label)
      missing[pair, default: 0] -= count
    }
    #expect(missing.values.reduce(0, +) == forecast.droppedReferenceCount, label)
  }
}
