import Cryptography
import Foundation
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

  /// A transaction as the file format's page describes it, with its fingerprint.
  private static func planted() -> String {
    var bytes: [UInt8] = []
    func add(_ number: Int64) { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
    func add(text: String) {
      add(Int64(text.utf8.count))
      bytes += text.utf8
    }
    for number in [1, Int64(bitPattern: (800_000_000.5).bitPattern), 7, 0, 1, 1, 100] { add(number) }
    add(text: "sync")
    add(-1)
    add(text: "program")
    add(4)
    bytes += [4, 1, 1, 0]
    add(0)
    let hex = bytes.withUnsafeBytes { Digest.of($0) }.prefix(16).map { String(format: "%02x", $0) }.joined()
    return "INSERT INTO _transaction VALUES (1, x'\(hex)', 800000000.5, 'sync', NULL, 'program', 7, 0, 1, 1,"
      + " 100, x'04010100', NULL)"
  }

  @Test(
    "of a described transaction is whole, and broken with any other value",
    arguments: [
      "_fingerprint = zeroblob(16)", "_time = 1.5", "_author = NULL", "_context = ''", "_program = 'other'",
      "_process = 8", "_properties = 1", "_first = 2", "_count = 2", "_total = 99", "_changes = x'04010200'",
      "_values = x'5b5d'",
    ])
  func vector(_ change: String) async throws {
    let notes = try Notes()
    try await notes.open().close()
    try await notes.run(Self.planted())
    #expect(try await SQLCipherStore.verify(notes.description).map(\.kind) == [])
    try await notes.run("UPDATE _transaction SET \(change)")
    #expect(try await SQLCipherStore.verify(notes.description).map(\.kind) == [.brokenHistory])
  }
}
