import BenchKit
import CLimit
import CSQLCipherLimit
import Foundation
import Strongroom

/// A value of 50 MB, written and read in pieces of a megabyte.
struct PiecesLoad: Load {
  private static let piece = 1 << 20
  private static let length = 50 << 20

  func measure(in folder: URL) async throws -> [LoadRun] {
    let piece = Data((0..<Self.piece).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let path = folder.appendingPathComponent("pieces.c").path
    let limit = try openLimit(path)
    try run(limit, "CREATE TABLE scan (id INTEGER PRIMARY KEY, bytes BLOB)")
    let bareWriting = try await peak { try write(piece, limit) }
    lm_close(limit)
    // A reader has a connection of its own, whose pages are not in memory yet.
    let second = try openLimit(path, create: false)
    let bareReading = try await peak { try readAll(second) }
    lm_close(second)
    var bytes = Attribute("bytes", .binary)
    bytes.allowsExternalBinaryDataStorage = true
    var scans = Entity("Scan")
    scans.attributes = [bytes]
    let model = try ManagedObjectModel(ModelDeclaration(entities: [scans]))
    let container = try await openStore(folder.appendingPathComponent("pieces").path, model)
    let context = container.newContext()
    let scan = try context.insert("Scan")
    try context.save()
    let writing = try await peak {
      try context.writeValue(count: Self.length, to: scan.objectID, "bytes") { writer in
        for _ in 0..<Self.length / Self.piece { try writer.write(contentsOf: piece) }
      }
    }
    var read = 0
    let reading = try await peak {
      let reader = try context.openValue(of: scan.objectID, "bytes")
      while let next = try reader?.read(upToCount: Self.piece) { read += next.count }
      reader?.close()
    }
    guard read == Self.length else { throw Rounds.Failure(description: "the value has \(read) bytes") }
    try container.close()
    return [
      // With a small page cache, so that memory stays flat, the zeros that make room are written too.
      LoadRun(
        what: "pieces: write 50 MB", unit: "ms", bare: bareWriting.seconds * 1e3, own: writing.seconds * 1e3,
        gate: 1.8),
      LoadRun(
        what: "pieces: read 50 MB", unit: "ms", bare: bareReading.seconds * 1e3, own: reading.seconds * 1e3,
        gate: 1.3),
      // Both have a page cache, which a save of long rows limits.
      LoadRun(
        what: "pieces: memory to write", unit: "MB", bare: bareWriting.bytes / 1e6, own: writing.bytes / 1e6,
        gate: 1.5),
    ]
  }

  private func write(_ piece: Data, _ store: OpaquePointer) throws {
    try run(store, "BEGIN IMMEDIATE; INSERT INTO scan VALUES (1, zeroblob(\(Self.length)))")
    let blob = try open(store, writing: true)
    for index in 0..<Self.length / Self.piece {
      piece.withUnsafeBytes {
        _ = sqlite3_blob_write(blob, $0.baseAddress, Int32($0.count), Int32(index * Self.piece))
      }
    }
    sqlite3_blob_close(blob)
    try run(store, "COMMIT")
  }

  private func readAll(_ store: OpaquePointer) throws {
    let blob = try open(store, writing: false)
    var buffer = [UInt8](repeating: 0, count: Self.piece)
    for index in 0..<Self.length / Self.piece {
      guard sqlite3_blob_read(blob, &buffer, Int32(Self.piece), Int32(index * Self.piece)) == SQLITE_OK else {
        throw Rounds.Failure(description: "the bare value cannot be read")
      }
    }
    sqlite3_blob_close(blob)
  }

  private func open(_ store: OpaquePointer, writing: Bool) throws -> OpaquePointer {
    let database = sqlite3_db_handle(try floorStatement(store, 0, "SELECT 1"))
    var blob: OpaquePointer?
    guard sqlite3_blob_open(database, "main", "scan", "bytes", 1, writing ? 1 : 0, &blob) == SQLITE_OK,
      let blob
    else { throw Rounds.Failure(description: String(cString: lm_error(store))) }
    return blob
  }
}
