// Stands for: a reader of a store's history with a token that is kept as JSON, changes told apart
// by their class, tombstones, a purge; a schema that is written to a file; a store in the user's
// folder for programs' data.

import Foundation
import SwiftData

@Model
class DiaryPage {
  @Attribute(.preserveValueOnDeletion) var code: String
  var text: String
  init(code: String, text: String) {
    self.code = code
    self.text = text
  }
}

@Model
final class Dream: DiaryPage {
  var isLucid: Bool = false
  var depth: Int = 0
}

struct DiaryHistory {
  let context: ModelContext
  let author: String
  var tokenData: Data?

  private var token: DefaultHistoryToken? {
    tokenData.flatMap { try? JSONDecoder().decode(DefaultHistoryToken.self, from: $0) }
  }

  mutating func newTransactions() throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    let author = author
    if let token {
      descriptor.predicate = #Predicate { $0.token > token && $0.author == author }
    }
    do {
      let transactions = try context.fetchHistory(descriptor)
      if let last = transactions.last { tokenData = try JSONEncoder().encode(last.token) }
      return transactions
    } catch SwiftDataError.historyTokenExpired {
      tokenData = nil
      return []
    }
  }

  func codes(_ transactions: [DefaultHistoryTransaction]) -> (live: [PersistentIdentifier], gone: [String]) {
    var live: [PersistentIdentifier] = []
    var gone: [String] = []
    for change in transactions.flatMap(\.changes) {
      switch change {
      case .insert(_ as DefaultHistoryInsert<DiaryPage>), .update(_ as DefaultHistoryUpdate<DiaryPage>):
        live.append(change.changedPersistentIdentifier)
      case .delete(let deletion as DefaultHistoryDelete<DiaryPage>):
        if let code = deletion.tombstone[\.code] as? String { gone.append(code) }
      default: break
      }
    }
    return (live, gone)
  }

  func purge(upTo date: Date) throws {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.predicate = #Predicate { $0.timestamp < date }
    descriptor.sortBy = [SortDescriptor(\.timestamp)]
    descriptor.fetchLimit = 100
    try context.deleteHistory(descriptor)
  }
}

enum DiaryFiles {
  static var store: URL { URL.applicationSupportDirectory.appending(path: "Diary/diary.store") }
  static var exports: URL { URL.documentsDirectory.appending(path: "Diary") }
  static var thumbnails: URL { .cachesDirectory.appending(path: "Diary") }

  static let schema = Schema([DiaryPage.self, Dream.self], version: Schema.Version(2, 1, 0))
  static func write(to url: URL) throws { try schema.save(to: url) }
  static func read(from url: URL) throws -> Schema { try Schema.load(from: url) }
}
