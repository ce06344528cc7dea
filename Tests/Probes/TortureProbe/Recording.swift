import Foundation
import Glibc

/// Everything that a program did to its files, in order, as the preloaded library wrote it down.
struct Recording {
  private struct Operation {
    let kind: UInt8
    let name: String
    let offset: Int
    let bytes: Data
  }

  private var operations: [Operation] = []
  var count: Int { operations.count }

  init(_ path: String, _ folder: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    var place = 0
    func number<T: FixedWidthInteger>(_ type: T.Type) -> T {
      defer { place += MemoryLayout<T>.size }
      return data[place..<place + MemoryLayout<T>.size].withUnsafeBytes { $0.loadUnaligned(as: T.self) }
    }
    while place < data.count {
      let kind = number(UInt8.self)
      let nameLength = Int(number(UInt16.self))
      let offset = Int(number(Int64.self))
      let length = Int(number(UInt64.self))
      let name = String(decoding: data[place..<place + nameLength], as: UTF8.self)
      place += nameLength
      let bytes =
        kind == UInt8(ascii: "w") || kind == UInt8(ascii: "r") ? data[place..<place + length] : Data()
      place += bytes.count
      operations.append(
        Operation(kind: kind, name: String(name.dropFirst(folder.count)), offset: offset, bytes: Data(bytes)))
    }
  }

  /// Does what was done up to a random instant, as a disk might have it after the power went.
  /// - Returns: How many saves were acknowledged by then.
  func replay(into folder: String, _ generator: inout Seeded) throws -> Int {
    let end = Int.random(in: 0...operations.count, using: &generator)
    // Since the last sync of each file, its operations are only promises.
    var synced: [String: Int] = [:]
    for index in 0..<end where operations[index].kind == UInt8(ascii: "s") {
      synced[operations[index].name] = index
    }
    for index in 0..<end {
      let operation = operations[index]
      let path = folder + operation.name
      let isSure = index < synced[operation.name] ?? -1
      if !isSure, operation.kind == UInt8(ascii: "w"), Bool.random(using: &generator) {
        // Dropped, or torn at a sector.
        let sectors = operation.bytes.count / 512
        guard sectors > 0, Bool.random(using: &generator) else { continue }
        try write(
          operation.bytes.prefix(512 * Int.random(in: 0...sectors, using: &generator)), operation.offset, path
        )
        continue
      }
      switch operation.kind {
      case UInt8(ascii: "w"): try write(operation.bytes, operation.offset, path)
      case UInt8(ascii: "t"): truncate(path, off_t(operation.offset))
      case UInt8(ascii: "u"): unlink(path)
      case UInt8(ascii: "r"): rename(path, String(decoding: operation.bytes, as: UTF8.self))
      default: break
      }
    }
    return operations[..<end].filter { $0.kind == UInt8(ascii: "a") }.count
  }

  private func write(_ bytes: Data, _ offset: Int, _ path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT, 0o600)
    guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(file) }
    bytes.withUnsafeBytes { _ = pwrite(file, $0.baseAddress, $0.count, off_t(offset)) }
  }
}
