// Over the archive and the migration of this folder.

import Foundation
import SwiftData
import Testing

final class HerbariumTests {
  private let store: TestStore
  private let schema = Schema(versionedSchema: HerbariumSchemaV2.self)

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private func fill(_ container: ModelContainer, count: Int) throws {
    let context = ModelContext(container)
    let drawers = ["Alps", "Coast"].map { Drawer(title: $0) }
    for drawer in drawers { context.insert(drawer) }
    for index in 0..<count {
      let specimen = Specimen(name: "Plant \(index)", drawer: drawers[index % 2])
      // Three of each day, so that the order is by number among them.
      specimen.collectedAt = Date(timeIntervalSince1970: Double(index / 3))
      context.insert(specimen)
      if index % 10 == 0 {
        context.insert(
          FieldNote(text: "\(index)", date: Date(timeIntervalSince1970: Double(index)), specimen: specimen))
      }
    }
    try context.save()
  }

  @Test func batchesCoverEveryRowOnce() async throws {
    let container = try store.container(for: schema)
    try fill(container, count: 150)
    let archive = HerbariumArchive(modelContainer: container)
    let ids = try await archive.specimenIdentifiers()
    #expect(ids.count == 150 && Set(ids).count == 150)
    let records = try JSONDecoder().decode([SpecimenRecord].self, from: await archive.export())
    #expect(Set(records.map(\.name)) == Set((0..<150).map { "Plant \($0)" }))
    #expect(records.map(\.collectedAt) == records.map(\.collectedAt).sorted())
    #expect(records.flatMap(\.notes).count == 15)
    #expect(await archive.batches == 3)

    let saves = SaveCounter(container)
    let early = Date(timeIntervalSince1970: 20)
    let changed = try await archive.update(
      matching: #Predicate { $0.collectedAt < early }, batchSize: 25
    ) { specimen in
      guard specimen.drawer?.title == "Alps" else { return false }
      specimen.sheets = 7
      return true
    }
    #expect(changed == 30 && saves.count == 3)
    let fresh = ModelContext(container)
    #expect(try fresh.fetchCount(FetchDescriptor<Specimen>(predicate: #Predicate { $0.sheets == 7 })) == 30)
  }

  @Test func aFileIsTakenTwice() async throws {
    let first = try store.container(for: schema)
    try fill(first, count: 60)
    let data = try await HerbariumArchive(modelContainer: first).export()
    let other = try TestStore()
    defer { other.remove() }
    do {
      let archive = HerbariumArchive(modelContainer: try other.container(for: schema))
      for _ in 0..<2 { #expect(try await archive.take(data, batchSize: 25) == 60) }
      #expect(try await archive.export() == data)
      try await archive.removeNotes(before: Date(timeIntervalSince1970: 25))
    }
    try other.session(for: schema) { (context: ModelContext) throws in
      #expect(try context.count(of: Specimen.self) == 60)
      #expect(try context.count(of: Drawer.self) == 2)
      #expect(try context.count(of: FieldNote.self) == 3)
    }
    let archive = HerbariumArchive(modelContainer: try other.container(for: schema))
    try await archive.removeAll()
    let context = ModelContext(archive.modelContainer)
    #expect(try context.count(of: Specimen.self) == 0)
    #expect(try context.count(of: FieldNote.self) == 0)
  }

  @Test func equalNamesBecomeOneRow() async throws {
    let container = try store.container(for: schema)
    let context = ModelContext(container)
    for (index, name) in ["Iris", " iris", "IRIS ", "Rose"].enumerated() {
      let specimen = Specimen(name: name)
      specimen.collectedAt = Date(timeIntervalSince1970: Double(10 - index))
      context.insert(specimen)
      context.insert(FieldNote(text: name, date: .now, specimen: specimen))
    }
    try context.save()
    let archive = HerbariumArchive(modelContainer: container)
    #expect(try await archive.repairDuplicates() == 2)
    #expect(try await archive.repairDuplicates() == 0)
    let rows = try ModelContext(container).fetch(
      FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.sheets)]))
    #expect(rows.map(\.name) == ["Rose", "IRIS "])
    #expect(rows.map { $0.notes?.count } == [1, 3] && rows[1].sheets == 3)
  }

  @Test @MainActor func twoActorsChangeOneSpecimen() async throws {
    let container = try store.container(for: schema)
    let specimen = Specimen(name: "Iris")
    container.mainContext.insert(specimen)
    try container.mainContext.save()
    let id = specimen.persistentModelID
    let (one, two) = (
      HerbariumArchive(modelContainer: container), HerbariumArchive(modelContainer: container)
    )
    #expect(await one.record(id)?.name == "Iris")
    #expect(await two.record(id)?.sheets == 1)
    // The main actor's change of another property stays.
    specimen.tags = ["blue"]
    try await one.rename(id, to: "Iris germanica", sheets: 4)
    try await two.rename(id, to: "Iris pumila")
    try container.mainContext.save()
    let fresh = try #require(ModelContext(container).model(for: id) as? Specimen)
    #expect(fresh.name == "Iris pumila" && fresh.sheets == 4 && fresh.tags == ["blue"])
    for _ in 0..<8000 where specimen.name != "Iris pumila" {
      try await _Concurrency.Task.sleep(for: .milliseconds(5))
    }
    #expect(specimen.name == "Iris pumila" && specimen.sheets == 4 && !specimen.hasChanges)
  }

  @Test func anOlderStoreIsMigratedByPages() throws {
    try store.session(for: Schema(versionedSchema: HerbariumSchemaV1.self)) { context in
      let drawer = HerbariumSchemaV1.Drawer(title: "Alps")
      context.insert(drawer)
      for index in 0..<50 {
        context.insert(
          HerbariumSchemaV1.Specimen(
            name: "\(index)", source: SpecimenSource.allCases[index % 3], drawer: index < 25 ? drawer : nil))
      }
      try context.save()
    }
    let file = store.url.deletingLastPathComponent().appendingPathComponent("sources.json")
    SourceStash.shared = SourceStash(file: file)
    try store.session(for: schema, migrationPlan: HerbariumMigrationPlan.self) { context in
      let specimens = try context.fetch(FetchDescriptor<Specimen>())
      #expect(specimens.count == 50)
      for specimen in specimens {
        let index = try #require(Int(specimen.name))
        #expect(specimen.source == SpecimenSource.allCases[index % 3] && specimen.sheets == 1)
        #expect((specimen.drawer != nil) == (index < 25) && specimen.notes?.isEmpty == true)
      }
      #expect(!FileManager.default.fileExists(atPath: file.path))
      // What an interrupted migration left is finished later.
      let first = try #require(specimens.first { $0.source == .field })
      try SourceStash.shared.store([first.id: "gift"])
      #expect(try HerbariumMigrationPlan.apply(to: ModelContext(context.container)) == 3)
    }
    try store.session(for: schema) { (context: ModelContext) throws in
      let gift = SpecimenSource.gift.rawValue
      let gifts = FetchDescriptor<Specimen>(predicate: #Predicate { $0.sourceRawValue == gift })
      #expect(try context.fetchCount(gifts) == 17)
    }
  }
}

/// Counts the saves of a container's contexts.
private final class SaveCounter: @unchecked Sendable {
  private let lock = NSLock()
  private var saves = 0
  private var observer: (any NSObjectProtocol)?

  init(_ container: ModelContainer) {
    observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: nil, queue: nil)
    {
      [weak self] note in
      guard (note.object as? ModelContext)?.container == container else { return }
      self?.lock.withLock { self?.saves += 1 }
    }
  }

  deinit { if let observer { NotificationCenter.default.removeObserver(observer) } }
  var count: Int { lock.withLock { saves } }
}
