import Foundation
import SQLCipherStore
import StoreContract
import Testing

@Suite("A damaged history")
struct HistoryDamageTests {
  private static let all = [
    "_changes = x'80'", "_changes = x'ffffffffffffffffffff01'", "_changes = x'04'", "_changes = x'0401'",
    "_changes = x'04ffffffffffffffff7f0100'", "_changes = x'0401ffffffffffffffff7f00'",
    "_changes = x'040101ffffffffffffffff7f'", "_changes = x'0501ff010100'", "_changes = x'05ffffffff0f'",
    "_changes = x'0701010002'", "_changes = x'07010100027b7d'", "_changes = x'fcffffffffffffffff01010100'",
    "_changes = 'text'", "_changes = 5", "_changes = zeroblob(1000000)", "_changes = NULL", "_changes = x''",
    "_first = 9223372036854775807", "_first = -9223372036854775808", "_count = 9223372036854775807",
    "_count = -1", "_count = 0", "_total = 9223372036854775807", "_total = -5", "_time = 9e999",
    "_time = -1e308", "_time = 'x'", "_author = x'fffe00'", "_author = CAST(x'ff00fe' AS TEXT)",
    "_author = 5", "_program = x''", "_fingerprint = ''", "_fingerprint = 7", "_properties = 99",
    "_properties = -1", "_properties = 9223372036854775807", "_process = 9223372036854775807",
    "_values = x'7b'", "_values = '[]'", "_values = 5", "_values = zeroblob(10)",
    #"_values = '[{"entity":1,"reference":2,"new":{"99":{"object":{}}}}]'"#,
    #"_values = '[{"entity":1,"reference":2,"new":{"0":{"object":{"_0":4}},"-1":{"objects":{"_0":[1]}}}}]'"#,
    "_number = 9223372036854775807", "_number = -9223372036854775808", "_number = 4000000000000000000",
  ]

  /// Does all that a program does with a history; what it throws is a `StoreError`.
  private func use(_ notes: Notes) async throws {
    func attempt(_ work: () throws -> Void) throws { do { try work() } catch is StoreError {} }
    let store = try await notes.open()
    try attempt { _ = try store.currentHistoryToken }
    try attempt {
      var request = PersistentHistoryChangeRequest.fetchHistory(afterTransaction: .min)
      request.resultType = .count
      _ = try store.execute(request)
      request.resultType = .transactionsAndChanges
      for one in try store.execute(request).transactions { _ = "\(one) \(one.id)" }
    }
    try attempt {
      _ = try store.historyConsumers.map(\.isWithinSpan)
      try store.registerHistoryConsumer("a", span: 5)
      if let token = try store.currentHistoryToken { try store.advanceHistoryConsumer("a", to: token) }
      _ = try store.execute(.fetchHistory(forConsumer: "a"))
    }
    try attempt { _ = try store.execute(.fetchHistory(forConsumer: "x")) }
    try attempt { for _ in 0..<70 { try Notes.add(1, to: store) } }
    try attempt { _ = try store.execute(.deleteHistory(before: nil as PersistentHistoryToken?)) }
    try attempt { try Notes.add(1, to: store) }
    try store.close()
  }

  @Test("is read or refused, and never ends the program", arguments: all)
  func rows(_ damage: String) async throws {
    for place in [1, 3] {
      let notes = try Notes()
      let store = try await notes.open()
      for _ in 0..<3 { try Notes.add(2, to: store) }
      try store.registerHistoryConsumer("x", span: 1000)
      try store.close()
      try await notes.run("UPDATE _transaction SET \(damage) WHERE _number = \(place)")
      _ = try await SQLCipherStore.verify(notes.description)
      try await use(notes)
    }
  }

  @Test(
    "of consumers that no program registered never ends the program",
    arguments: [
      "INSERT INTO _consumer VALUES ('x', 9223372036854775807, 1e308, 1e308)",
      "INSERT INTO _consumer VALUES ('x', -9223372036854775808, -1e308, -1e308)",
      "INSERT INTO _consumer VALUES ('x', 'a', 'b', 'c')",
      "INSERT INTO _consumer VALUES (x'ff', 1, 9e999, 0)",
      "UPDATE _store SET value = 'garbage' WHERE key = 'history_properties'",
      "UPDATE _store SET value = '{\"versions\":[]}' WHERE key = 'history_properties'",
      "DROP TABLE _consumer",
    ])
  func consumers(_ damage: String) async throws {
    let notes = try Notes()
    let store = try await notes.open()
    for _ in 0..<3 { try Notes.add(2, to: store) }
    try store.close()
    try await notes.run(damage)
    _ = try await SQLCipherStore.verify(notes.description)
    try await use(notes)
  }

  @Test("is found where the first transaction was changed, or the first ones were taken away")
  func beginning() async throws {
    for (damage, isFound) in [
      ("UPDATE _transaction SET _author = 'another' WHERE _number = 1", true),
      ("DELETE FROM _transaction WHERE _number = 1", true),
      ("UPDATE _transaction SET _changes = NULL WHERE _number = 2", true),
      ("UPDATE _store SET value = 'x' WHERE key = 'settled'", false),
    ] {
      let notes = try Notes()
      let store = try await notes.open()
      for _ in 0..<3 { try Notes.add(1, to: store) }
      try store.close()
      try await notes.run(damage)
      let kinds = try await SQLCipherStore.verify(notes.description).map(\.kind)
      #expect(kinds.contains(.brokenHistory) == isFound, "\(damage)")
    }
    // What a program purges is no damage.
    let notes = try Notes()
    let store = try await notes.open()
    for _ in 0..<4 { try Notes.add(1, to: store) }
    _ = try store.execute(.deleteHistory(beforeTransaction: 3))
    try store.close()
    #expect(try await SQLCipherStore.verify(notes.description).isEmpty)
  }
}
