import BenchKit
import CLimit
import CSQLCipherLimit
import Foundation
import Strongroom

/// An index of words over many texts, against bare FTS4 beside a table of the texts, which a trigger
/// maintains as ours: written by the program itself it would cost a third, and be wrong when forgotten.
struct WordsLoad: Load {
  var texts = 50_000
  var searches = 500

  private static let vocabulary = 5000

  /// The words of a text: forty, the common ones more often.
  private func body(_ index: Int) -> String {
    var state = UInt64(index) &* 0x9E37_79B9_7F4A_7C15 | 1
    var words: [String] = []
    for _ in 0..<40 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let spread = Double(state >> 33) / Double(1 << 31)
      words.append("word\(Int(spread * spread * Double(Self.vocabulary)))")
    }
    return words.joined(separator: " ")
  }

  private var wanted: [String] { (0..<searches).map { "word\($0 * 9 % Self.vocabulary)" } }

  func measure(in folder: URL) async throws -> [LoadRun] {
    let bodies = (0..<texts).map(body)
    let limit = try openLimit(folder.appendingPathComponent("words.c").path)
    defer { lm_close(limit) }
    try run(
      limit,
      "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);"
        + "CREATE VIRTUAL TABLE words USING fts4(body, tokenize=simple);"
        + "CREATE TRIGGER note_words AFTER INSERT ON note BEGIN"
        + " INSERT INTO words (docid, body) VALUES (NEW.id, NEW.body); END")
    var start = now()
    try insert(bodies, limit)
    let bareSaving = now() - start
    let model = try ManagedObjectModel {
      Entity("Note") {
        Attribute("body", .string)
        FetchIndex.fullText("text", on: "body")
      }
    }
    let container = try await openStore(folder.appendingPathComponent("words").path, model)
    let context = container.newContext()
    start = now()
    try context.batchInsert(into: "Note", of: bodies) { row, body in try row.set("body", .string(body)) }
    let saving = now() - start
    start = now()
    let expected = try search(limit)
    let bareSearching = now() - start
    start = now()
    var sum = Checksum()
    for word in wanted {
      let request = FetchRequest("Note", where: try FetchPredicate(format: "body SEARCH %@", word))
      for id in try context.fetchObjectIDs(request) { sum.add(id.reference) }
    }
    let searching = now() - start
    guard sum.value == expected else {
      throw Rounds.Failure(description: "the searches find other texts than bare FTS4")
    }
    try container.close()
    let count = Double(texts)
    return [
      // Words are cut and folded as Unicode says, by a function that a trigger calls.
      LoadRun(
        what: "words: insert a text of 40 words", unit: "us", bare: bareSaving / count * 1e6,
        own: saving / count * 1e6, gate: 1.4),
      // Each text found is an ID.
      LoadRun(
        what: "words: search", unit: "us", bare: bareSearching / Double(searches) * 1e6,
        own: searching / Double(searches) * 1e6, gate: 1.6),
    ]
  }

  private func insert(_ bodies: [String], _ store: OpaquePointer) throws {
    try run(store, "BEGIN IMMEDIATE")
    let row = try floorStatement(store, 0, "INSERT OR FAIL INTO note VALUES (?, ?)")
    for (index, body) in bodies.enumerated() {
      sqlite3_bind_int64(row, 1, Int64(index + 1))
      bindText(body, to: row, 2)
      sqlite3_step(row)
      sqlite3_reset(row)
    }
    try run(store, "COMMIT")
  }

  private func search(_ store: OpaquePointer) throws -> UInt64 {
    let statement = try floorStatement(
      store, 2, "SELECT id FROM note WHERE id IN (SELECT docid FROM words WHERE words MATCH ?) ORDER BY id")
    var sum = Checksum()
    for word in wanted {
      bindText(word, to: statement, 1)
      while sqlite3_step(statement) == SQLITE_ROW { sum.add(sqlite3_column_int64(statement, 0)) }
      sqlite3_reset(statement)
    }
    return sum.value
  }
}
