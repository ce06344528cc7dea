import SQLCipherStore
import Testing

@Suite("A history verified")
struct HistoryCheckTests {
  @Test("of a transaction that was changed is a broken chain")
  func chain() async throws {
    let notes = try Notes()
    let store = try await notes.open()
    for _ in 0..<3 { try Notes.add(1, to: store) }
    try store.close()
    func kinds() async throws -> [IntegrityIssue.Kind] {
      try await SQLCipherStore.verify(notes.description).map(\.kind)
    }
    #expect(try await kinds() == [])
    try await notes.run("UPDATE _transaction SET _author = 'another' WHERE _number = 2")
    #expect(try await kinds() == [.brokenHistory])
    try await notes.run("DELETE FROM _transaction WHERE _number = 2")
    #expect(try await kinds() == [.brokenHistory])
  }
}
