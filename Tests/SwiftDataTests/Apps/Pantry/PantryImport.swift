// An import in two steps: a comparison that is shown, and its application in a context of its own, which
// fails when something changed in between.

import Foundation
import SwiftData

struct PantryFile: Codable, Equatable {
  struct Row: Codable, Hashable {
    let date: Date
    let content: String
    let income: Decimal
    let outgo: Decimal
    let shelf: String
    let series: UUID
  }

  var version = 2
  var rows: [Row]

  static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys]
    return encoder
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
}

extension PantryFile.Row {
  init(_ supply: Supply) {
    self.init(
      date: supply.day, content: supply.content, income: supply.income, outgo: supply.outgo,
      shelf: supply.shelf?.name ?? "", series: supply.seriesID)
  }
}

struct PantryDifference: Equatable {
  var added: [PantryFile.Row] = []
  var removed: Swift.Set<PersistentIdentifier> = []
  var unchanged = 0
}

enum PantryImportError: LocalizedError, Equatable {
  case changedSinceReview
  case unreadable(version: Int)

  var errorDescription: String? {
    switch self {
    case .changedSinceReview: "The pantry changed since this file was compared with it."
    case .unreadable(let version): "Files of version \(version) cannot be read."
    }
  }
}

enum PantryImport {
  static func export(context: ModelContext) throws -> Data {
    var descriptor = FetchDescriptor.supplies(.all, order: .forward)
    descriptor.relationshipKeyPathsForPrefetching = [\.stickers]
    return try PantryFile.encoder.encode(PantryFile(rows: try context.fetch(descriptor).map { .init($0) }))
  }

  static func read(_ data: Data) throws -> PantryFile {
    let file = try PantryFile.decoder.decode(PantryFile.self, from: data)
    guard file.version == 2 else { throw PantryImportError.unreadable(version: file.version) }
    return file
  }

  static func difference(_ file: PantryFile, context: ModelContext) throws -> PantryDifference {
    var remaining = Dictionary(grouping: try context.fetch(.supplies(.all))) { PantryFile.Row($0) }
    var difference = PantryDifference()
    for row in file.rows {
      if remaining[row]?.popLast() != nil {
        difference.unchanged += 1
      } else {
        difference.added.append(row)
      }
    }
    difference.removed = .init(remaining.values.joined().map(\.persistentModelID))
    return difference
  }

  /// Answers with the identifiers of the new supplies.
  static func apply(
    _ file: PantryFile, reviewed: PantryDifference, context reviewContext: ModelContext
  ) throws -> Swift.Set<PersistentIdentifier> {
    guard !reviewContext.hasChanges else { throw PantryImportError.changedSinceReview }
    let context = ModelContext(reviewContext.container)
    context.autosaveEnabled = false
    do {
      guard try difference(file, context: context) == reviewed else {
        throw PantryImportError.changedSinceReview
      }
      let removed = try context.fetch(.supplies(.idsAre(Array(reviewed.removed))))
      // What is shared with new supplies stays in use.
      for row in reviewed.added {
        _ = try Supply.create(
          context: context, date: row.date, content: row.content, income: row.income, outgo: row.outgo,
          shelf: row.shelf, seriesID: row.series)
      }
      try PantryOperations.delete(context: context, removed)
      let created = context.insertedModelsArray.compactMap { model in model as? Supply }
      try context.save()
      return Swift.Set(created.map(\.persistentModelID))
    } catch {
      context.rollback()
      throw error
    }
  }
}
