import Foundation
import Locks
import MigrationPlace
import Strongroom
import Testing

/// Versions of a model in which each step is of a kind, and stages for them.
private struct Chain: CustomTestStringConvertible {
  /// How a step is done, and what it changes.
  enum Step: String, CaseIterable {
    /// Adds an attribute; in a lightweight stage.
    case light
    /// Adds an attribute; in a custom stage that counts its calls.
    case custom
    /// Drops the attribute `x`, or adds it with another type than before: two of these in a row
    /// can be done one by one and not at once.
    case oneByOne
  }

  let steps: [Step]
  var testDescription: String { steps.map(\.rawValue).joined(separator: ", ") }

  static let all: [Chain] = (1...3).flatMap { count in
    (0..<count).reduce([[]]) { chains, _ in
      chains.flatMap { chain in Step.allCases.map { chain + [$0] } }
    }.map { Chain(steps: $0) }
  }

  /// All on a file, and the shorter ones on a server.
  static var places: [(Chain, MigrationPlace.Kind)] {
    MigrationPlace.Kind.all.flatMap { kind in
      all.filter { kind == .file || $0.steps.count < 3 }.map { ($0, kind) }
    }
  }

  func models() throws -> [ManagedObjectModel] {
    var declarations = [[Attribute("name", .string), Attribute("x", .string)]]
    let types: [AttributeType] = [.date, .string]
    var drops = 0
    for (place, step) in steps.enumerated() {
      var next = declarations[place]
      if step != .oneByOne {
        next.append(Attribute("added\(place)", .integer64, optional: false, default: .integer(Int64(place))))
      } else if next.contains(where: { $0.name == "x" }) {
        next.removeAll { $0.name == "x" }
      } else {
        next.append(Attribute("x", types[drops % 2]))
        drops += 1
      }
      declarations.append(next)
    }
    return try declarations.map { attributes in
      var entity = Entity("Item")
      entity.attributes = attributes
      return try ManagedObjectModel(ModelDeclaration(entities: [entity]))
    }
  }

  /// The stages: what is light in a row is one stage, or one each.
  func stages(
    _ models: [ManagedObjectModel], grouped: Bool, _ calls: Locked<[String]>
  ) -> [any ModelMigrationStage] {
    let references = models.map { ManagedObjectModelReference(model: $0) }
    var stages: [any ModelMigrationStage] = []
    var light: [ManagedObjectModelReference] = []
    func flush() {
      if grouped {
        if !light.isEmpty { stages.append(LightweightMigrationStage(light)) }
      } else {
        stages += light.map { LightweightMigrationStage([$0]) }
      }
      light = []
    }
    for (place, step) in steps.enumerated() {
      guard step == .custom else {
        light += [references[place], references[place + 1]]
        continue
      }
      flush()
      var stage = CustomMigrationStage(migratingFrom: references[place], to: references[place + 1])
      stage.label = "\(place)"
      stage.willMigrateHandler = { manager, stage in
        calls.withLock { $0.append("will \(stage.label)") }
        try Self.visit(manager) {
          try $0.set("name", "\($0.get("name", as: String.self) ?? "")w\(stage.label)")
        }
      }
      stage.didMigrateHandler = { manager, stage in
        calls.withLock { $0.append("did \(stage.label)") }
        try Self.visit(manager) {
          try $0.set("name", "\($0.get("name", as: String.self) ?? "")d\(stage.label)")
        }
      }
      stages.append(stage)
    }
    flush()
    return stages
  }

  private static func visit(_ manager: StagedMigrationManager, _ body: (ManagedObject) throws -> Void) throws
  {
    let context = try #require(manager.container).newContext(isolation: nil)
    for object in try context.fetch(FetchRequest("Item")) { try body(object) }
    try context.save()
  }
}

/// The combinations of stages that people report to fail with Core Data's staged migration, and all
/// others of up to four versions.
@Suite("A staged migration passes where each of its steps does")
struct StagedMigrationTests {
  private func fill(_ place: MigrationPlace, _ model: ManagedObjectModel) async throws {
    try await place.with(model) { context in
      for number in 1...3 {
        let item = try context.insert("Item")
        try item.set("name", "item \(number) ")
        if item.entity.attribute(named: "x")?.type == .string { try item.set("x", "x") }
      }
      try context.save()
    }
  }

  @Test(
    "every chain of light, custom and one-by-one steps, from each of its versions", arguments: Chain.places)
  fileprivate func chains(chain: Chain, kind: MigrationPlace.Kind) async throws {
    let models = try chain.models()
    let last = try #require(models.last)
    for grouped in [true, false] {
      for start in models.indices {
        let place = try MigrationPlace(kind)
        try await fill(place, models[start])
        let calls = Locked<[String]>([])
        let manager = StagedMigrationManager(chain.stages(models, grouped: grouped, calls))
        for _ in 1...2 {
          try await place.with(last, { $0.stagedMigrationManager = manager }) { context in
            let items = try context.fetch(
              FetchRequest("Item", sortDescriptors: [FetchSortDescriptor("name")]))
            let work = chain.steps.indices.filter { $0 >= start && chain.steps[$0] == .custom }
            #expect(
              try items.map { try $0.get("name", as: String.self) }
                == (1...3).map { "item \($0) " + work.map { "w\($0)d\($0)" }.joined() })
            for step in chain.steps.indices where chain.steps[step] != .oneByOne && step >= start {
              #expect(try items.first?.get("added\(step)", as: Int.self) == step)
            }
            #expect(calls.withLock { $0 } == work.flatMap { ["will \($0)", "did \($0)"] })
          }
        }
        #expect(manager.container == nil)
        let others = try place.others()
        #expect(others.allSatisfy { !$0.contains("new") && !$0.contains("draft") }, "\(others)")
        #expect(try await place.problems() == [])
      }
    }
  }

  private func model(_ attributes: Attribute...) throws -> ManagedObjectModel {
    var entity = Entity("Item")
    entity.attributes = [Attribute("name", .string)] + attributes
    return try ManagedObjectModel(ModelDeclaration(entities: [entity]))
  }

  @Test(
    "a version that cannot be inferred is skipped where a later one can be",
    arguments: MigrationPlace.Kind.all)
  func skipped(kind: MigrationPlace.Kind) async throws {
    let models = [
      try model(Attribute("x", .string)), try model(Attribute("x", .date)),
      try model(Attribute("x", .string), Attribute("y", .date)),
    ]
    let place = try MigrationPlace(kind)
    try await fill(place, models[0])
    let manager = StagedMigrationManager([
      LightweightMigrationStage(models.map { ManagedObjectModelReference(model: $0) })
    ])
    try await place.with(models[2], { $0.stagedMigrationManager = manager }) { context in
      let items = try context.fetch(FetchRequest("Item"))
      #expect(try items.map { try $0.get("x", as: String.self) } == ["x", "x", "x"])
    }
    #expect(try !place.hasCopy())
  }

  @Test("versions known by their checksums alone lead to the next model", arguments: MigrationPlace.Kind.all)
  func checksums(kind: MigrationPlace.Kind) async throws {
    let models = [try model(), try model(Attribute("x", .string)), try model(Attribute("y", .string))]
    let manager = StagedMigrationManager([
      LightweightMigrationStage(versionChecksums: models.map(\.versionChecksum))
    ])
    for start in 0...1 {
      let place = try MigrationPlace(kind)
      try await fill(place, models[start])
      #expect(try await place.refusal(models[2]) { $0.stagedMigrationManager = manager } == nil)
      #expect(try await place.forecast(models[2]).isCurrent)
    }
  }

  @Test(
    "a version in several stages is one, and one that comes again is where it comes last",
    arguments: MigrationPlace.Kind.all)
  func repeated(kind: MigrationPlace.Kind) async throws {
    let (first, second) = (try model(), try model(Attribute("x", .string)))
    let references = [first, second, first, second].map { ManagedObjectModelReference(model: $0) }
    let calls = Locked(0)
    var stage = CustomMigrationStage(migratingFrom: references[2], to: references[3])
    stage.didMigrateHandler = { _, _ in calls.withLock { $0 += 1 } }
    let manager = StagedMigrationManager([
      LightweightMigrationStage(Array(references.prefix(3))), LightweightMigrationStage([references[2]]),
      stage,
    ])
    let place = try MigrationPlace(kind)
    try await fill(place, first)
    #expect(try await place.refusal(second) { $0.stagedMigrationManager = manager } == nil)
    #expect(calls.withLock { $0 } == 1)
  }

  @Test(
    "an unknown or later version, an equal pair, and a changed version have errors of their own",
    arguments: MigrationPlace.Kind.all)
  func refused(kind: MigrationPlace.Kind) async throws {
    let models = [try model(), try model(Attribute("x", .string)), try model(Attribute("y", .string))]
    let references = models.map { ManagedObjectModelReference(model: $0) }
    let place = try MigrationPlace(kind)
    try await fill(place, models[1])
    let bytes = try place.bytes()
    func code(_ model: ManagedObjectModel, _ stages: [any ModelMigrationStage]) async throws -> StoreError
      .Code?
    {
      let manager = StagedMigrationManager(stages)
      let error = try await place.refusal(model) { $0.stagedMigrationManager = manager }
      #expect(try place.bytes() == bytes)
      return error?.code
    }
    #expect(
      try await code(models[2], [LightweightMigrationStage([references[0], references[2]])])
        == .unknownModelVersion)
    #expect(try await code(models[0], [LightweightMigrationStage(references)]) == .newerModelVersion)
    #expect(
      try await code(models[2], [CustomMigrationStage(migratingFrom: references[1], to: references[1])])
        == .duplicateModelVersion)
    let changed = ManagedObjectModelReference(model: models[1], versionChecksum: models[0].versionChecksum)
    #expect(
      try await code(models[2], [CustomMigrationStage(migratingFrom: changed, to: references[2])])
        == .unknownModelVersion)
  }

  @Test(
    "what a handler throws, and a step that fails late, leave the store as it was",
    arguments: MigrationPlace.Kind.all)
  func undone(kind: MigrationPlace.Kind) async throws {
    struct Interrupted: Error {}
    let models = [
      try model(Attribute("x", .string)), try model(), try model(Attribute("y", .string)),
      try model(Attribute("z", .string, optional: false)),
    ]
    let references = models.map { ManagedObjectModelReference(model: $0) }
    let place = try MigrationPlace(kind)
    try await fill(place, models[0])
    let bytes = try place.bytes()
    var stage = CustomMigrationStage(migratingFrom: references[1], to: references[2])
    stage.didMigrateHandler = { manager, _ in
      let context = try #require(manager.container).newContext(isolation: nil)
      for item in try context.fetch(FetchRequest("Item")) { try item.set("y", "y") }
      try context.save()
      throw Interrupted()
    }
    let manager = StagedMigrationManager([LightweightMigrationStage([references[0]]), stage])
    await #expect(throws: Interrupted.self) {
      try await place.with(models[2], { $0.stagedMigrationManager = manager }) { _ in }
    }
    #expect(try place.bytes() == bytes && !place.hasCopy())
    let light = StagedMigrationManager([LightweightMigrationStage(references)])
    let error = try await place.refusal(models[3]) { $0.stagedMigrationManager = light }
    #expect(error?.code == .modelMismatch && error?.migrationForecast?.issues.count == 1)
    #expect(try place.bytes() == bytes && !place.hasCopy())
    let strict = try await place.refusal(models[2]) {
      $0.stagedMigrationManager = light
      $0.allowsLossyMigration = false
    }
    #expect(strict?.code == .lossyMigration)
    #expect(try place.bytes() == bytes && !place.hasCopy())
    // With loss allowed there is one copy, of the store as it was.
    #expect(try await place.refusal(models[2]) { $0.stagedMigrationManager = light } == nil)
    #expect(try place.hasCopy())
  }
}
