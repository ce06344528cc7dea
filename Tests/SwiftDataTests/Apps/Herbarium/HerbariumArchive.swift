// Walks through everything: files out and in, repairs, and what is left out of date.

import Foundation
import SwiftData

struct SpecimenRecord: Codable, Sendable, Equatable {
  let id: UUID
  let name: String
  let sheets: Int
  let source: SpecimenSource
  let collectedAt: Date
  let tags: [String]
  let drawer: String?
  let notes: [NoteRecord]

  struct NoteRecord: Codable, Sendable, Equatable {
    let id: UUID
    let text: String
    let date: Date
  }
}

extension SpecimenRecord {
  init(_ specimen: Specimen) {
    self.init(
      id: specimen.id, name: specimen.name, sheets: specimen.sheets, source: specimen.source,
      collectedAt: specimen.collectedAt, tags: specimen.tags, drawer: specimen.drawer?.title,
      notes: (specimen.notes ?? []).map { .init(id: $0.id, text: $0.text, date: $0.date) }
        .sorted { $0.date < $1.date })
  }
}

@ModelActor
actor HerbariumArchive {
  private(set) var batches = 0

  /// Reads the rows of a condition, one batch in memory.
  ///
  /// With `readOnly` every batch has a context of its own, so that none of it stays; what `body` changes
  /// belongs into the actor's context.
  func forEachBatch(
    matching predicate: Predicate<Specimen>? = nil, batchSize: Int = 64, readOnly: Bool = false,
    _ body: ([Specimen]) throws -> Void
  ) throws {
    func batchContext() -> ModelContext { readOnly ? ModelContext(modelContainer) : modelContext }

    if #available(macOS 15, *) {
      let identifiers = try specimenIdentifiers(matching: predicate)
      for start in stride(from: 0, to: identifiers.count, by: batchSize) {
        let chunk = Array(identifiers[start..<min(start + batchSize, identifiers.count)])
        try body(specimens(chunk, in: batchContext()))
        batches += 1
      }
      return
    }
    var offset = 0
    while true {
      var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.id)])
      descriptor.fetchOffset = offset
      descriptor.fetchLimit = batchSize
      let records = try batchContext().fetch(descriptor)
      guard records.isEmpty == false else { break }
      try body(records)
      offset += records.count
    }
  }

  func specimenIdentifiers(
    matching predicate: Predicate<Specimen>? = nil,
    sortBy: [SortDescriptor<Specimen>] = [.init(\.collectedAt), .init(\.id)]
  ) throws -> [PersistentIdentifier] {
    var descriptor = FetchDescriptor<Specimen>(predicate: predicate, sortBy: sortBy)
    descriptor.includePendingChanges = false
    return try modelContext.fetchIdentifiers(descriptor)
  }

  /// In the order of the identifiers; what was deleted since is left out.
  private func specimens(_ identifiers: [PersistentIdentifier], in context: ModelContext) throws -> [Specimen]
  {
    guard identifiers.isEmpty == false else { return [] }
    var descriptor = FetchDescriptor<Specimen>(
      predicate: #Predicate<Specimen> { identifiers.contains($0.persistentModelID) })
    descriptor.relationshipKeyPathsForPrefetching = [\.notes, \.drawer]
    let byID = Dictionary(
      try context.fetch(descriptor).map { ($0.persistentModelID, $0) },
      uniquingKeysWith: { first, _ in first })
    return identifiers.compactMap { byID[$0] }
  }

  /// Saves once for each batch with a change.
  func update(
    matching predicate: Predicate<Specimen>? = nil, batchSize: Int = 64,
    _ update: @Sendable (Specimen) -> Bool
  ) throws -> Int {
    var total = 0
    try forEachBatch(matching: predicate, batchSize: batchSize) { specimens in
      let changed = specimens.reduce(0) { $0 + (update($1) ? 1 : 0) }
      guard changed > 0 else { return }
      try modelContext.save()
      total += changed
    }
    return total
  }

  func export(matching predicate: Predicate<Specimen>? = nil) throws -> Data {
    var records: [SpecimenRecord] = []
    try forEachBatch(matching: predicate, readOnly: true) { records += $0.map(SpecimenRecord.init) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(records)
  }

  /// Rows of a known number are changed by the constraint, others are added.
  @discardableResult
  func take(_ data: Data, batchSize: Int = 50) throws -> Int {
    modelContext.autosaveEnabled = false
    let records = try JSONDecoder().decode([SpecimenRecord].self, from: data)
    for (index, record) in records.enumerated() {
      let specimen = Specimen(name: record.name)
      specimen.id = record.id
      modelContext.insert(specimen)
      specimen.sheets = record.sheets
      specimen.source = record.source
      specimen.collectedAt = record.collectedAt
      specimen.tags = record.tags
      if let title = record.drawer { specimen.drawer = try drawer(titled: title) }
      for note in record.notes {
        let fieldNote = FieldNote(text: note.text, date: note.date, specimen: specimen)
        fieldNote.id = note.id
        modelContext.insert(fieldNote)
      }
      if (index + 1) % batchSize == 0 { try modelContext.save() }
    }
    try modelContext.save()
    return records.count
  }

  private func drawer(titled title: String) throws -> Drawer {
    var descriptor = FetchDescriptor<Drawer>(predicate: #Predicate { $0.title == title })
    descriptor.fetchLimit = 1
    if let known = try modelContext.fetch(descriptor).first { return known }
    let drawer = Drawer(title: title)
    modelContext.insert(drawer)
    return drawer
  }

  /// Makes rows of the same name one: the oldest survives, with the sheets and notes of all.
  func repairDuplicates() throws -> Int {
    let all = try modelContext.fetch(FetchDescriptor<Specimen>(sortBy: [SortDescriptor(\.collectedAt)]))
    var byName: [String: [Specimen]] = [:]
    for specimen in all {
      let name = specimen.name.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
      guard name.isEmpty == false else { continue }
      byName[name, default: []].append(specimen)
    }
    var repaired = 0
    for same in byName.values where same.count > 1 {
      for duplicate in same.dropFirst() {
        same[0].sheets += duplicate.sheets
        for note in duplicate.notes ?? [] { note.specimen = same[0] }
        modelContext.delete(duplicate)
        repaired += 1
      }
    }
    if repaired > 0 { try modelContext.save() }
    return repaired
  }

  func removeNotes(before date: Date) throws {
    try modelContext.transaction {
      try modelContext.delete(model: FieldNote.self, where: #Predicate { $0.date < date })
    }
  }

  func removeAll() throws {
    try modelContext.delete(model: Drawer.self)
    try modelContext.delete(model: Specimen.self)
    try modelContext.save()
  }

  func rename(_ id: PersistentIdentifier, to name: String, sheets: Int? = nil) throws {
    guard let specimen = self[id, as: Specimen.self] else { return }
    specimen.name = name
    if let sheets { specimen.sheets = sheets }
    try modelContext.save()
  }

  func record(_ id: PersistentIdentifier) -> SpecimenRecord? {
    if let known: Specimen = modelContext.registeredModel(for: id) { return SpecimenRecord(known) }
    return (modelContext.model(for: id) as? Specimen).map(SpecimenRecord.init)
  }
}
