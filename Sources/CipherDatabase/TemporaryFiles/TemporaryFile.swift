import CSQLCipher
import Cryptography
import Foundation

/// A file that SQLite uses while a statement runs, encrypted block by block with AES-GCM and a key that
/// exists only in memory.
///
/// A block that was changed from outside is an I/O error. One thread at a time uses it.
final class TemporaryFile {
  static let blockSize = 4096
  private static let sealedSize = SealingCipher.nonceSize + blockSize + SealingCipher.tagSize

  // Extended result codes, whose macros Swift does not import.
  static let readError = SQLITE_IOERR | (1 << 8)
  static let shortRead = SQLITE_IOERR | (2 << 8)
  static let writeError = SQLITE_IOERR | (3 << 8)

  private let inner: UnsafeMutablePointer<sqlite3_file>
  private let methods: sqlite3_io_methods
  private let cipher: SealingCipher
  /// How often a block was written: with its own key, a file never uses a nonce twice.
  private var writeCount: UInt64 = 0
  /// In bytes that SQLite wrote.
  private(set) var size: Int64 = 0

  /// - Parameter inner: The open file, which this one closes and deallocates.
  /// - Throws: `CryptographyError` when there is no memory.
  init(_ inner: UnsafeMutablePointer<sqlite3_file>) throws {
    self.inner = inner
    methods = inner.pointee.pMethods.pointee
    cipher = try SealingCipher(.random())
  }

  func close() -> Int32 {
    let result = methods.xClose(inner)
    UnsafeMutableRawPointer(inner).deallocate()
    return result
  }

  /// Reads what was written; behind the end there are zeros, of which SQLite wants to know.
  func read(_ target: UnsafeMutableRawBufferPointer, _ offset: Int64) -> Int32 {
    var done = 0
    while done < target.count, offset + Int64(done) < size {
      let (block, start) = place(offset + Int64(done))
      let count = min(Self.blockSize - start, target.count - done, Int(size - offset) - done)
      var result = SQLITE_OK
      guard let plain = open(block, &result) else { return result }
      plain.copyBytes(
        to: UnsafeMutableRawBufferPointer(rebasing: target[done..<done + count]), from: start..<start + count)
      done += count
    }
    if done == target.count { return SQLITE_OK }
    _ = target[done...].initializeMemory(as: UInt8.self, repeating: 0)
    return Self.shortRead
  }

  func write(_ source: UnsafeRawBufferPointer, _ offset: Int64) -> Int32 {
    let result = fill(to: offset)
    if result != SQLITE_OK { return result }
    var done = 0
    while done < source.count {
      let (block, start) = place(offset + Int64(done))
      let count = min(Self.blockSize - start, source.count - done)
      let part = UnsafeRawBufferPointer(rebasing: source[done..<done + count])
      let result = write(part, at: start, of: block)
      if result != SQLITE_OK { return result }
      done += count
      size = max(size, offset + Int64(done))
    }
    return SQLITE_OK
  }

  func truncate(to size: Int64) -> Int32 {
    guard size < self.size else { return SQLITE_OK }
    let blocks = (size + Int64(Self.blockSize) - 1) / Int64(Self.blockSize)
    let result = methods.xTruncate(inner, blocks * Int64(Self.sealedSize))
    if result == SQLITE_OK { self.size = size }
    return result
  }

  // MARK: Blocks

  private func place(_ offset: Int64) -> (block: Int64, start: Int) {
    (offset / Int64(Self.blockSize), Int(offset % Int64(Self.blockSize)))
  }

  /// Writes zeros from the end to a place behind it.
  private func fill(to offset: Int64) -> Int32 {
    let zeros = [UInt8](repeating: 0, count: Self.blockSize)
    while size < offset {
      let (block, start) = place(size)
      let count = min(Self.blockSize - start, Int(offset - size))
      let result = zeros.withUnsafeBytes {
        write(UnsafeRawBufferPointer(rebasing: $0[..<count]), at: start, of: block)
      }
      if result != SQLITE_OK { return result }
      size += Int64(count)
    }
    return SQLITE_OK
  }

  private func write(_ part: UnsafeRawBufferPointer, at start: Int, of block: Int64) -> Int32 {
    if part.count == Self.blockSize { return seal(part, block) }
    var plain = Data(count: Self.blockSize)
    if block * Int64(Self.blockSize) < size {
      var result = SQLITE_OK
      guard let former = open(block, &result) else { return result }
      plain = former
    }
    plain.replaceSubrange(start..<start + part.count, with: part)
    return plain.withUnsafeBytes { seal($0, block) }
  }

  private func seal(_ plain: UnsafeRawBufferPointer, _ block: Int64) -> Int32 {
    writeCount += 1
    var nonce = [UInt8](repeating: 0, count: SealingCipher.nonceSize - 8)
    withUnsafeBytes(of: writeCount.bigEndian) { nonce += $0 }
    guard let sealed = try? cipher.seal(plain, nonce: nonce, authenticating: Self.position(block))
    else { return Self.writeError }
    return sealed.withUnsafeBytes {
      methods.xWrite(inner, $0.baseAddress, Int32($0.count), block * Int64(Self.sealedSize))
    }
  }

  /// Nil where there is no block; `result` is then what SQLite is to be answered.
  private func open(_ block: Int64, _ result: inout Int32) -> Data? {
    var sealed = Data(count: Self.sealedSize)
    result = sealed.withUnsafeMutableBytes {
      methods.xRead(inner, $0.baseAddress, Int32($0.count), block * Int64(Self.sealedSize))
    }
    guard result == SQLITE_OK else {
      if result == Self.shortRead { result = Self.readError }
      return nil
    }
    guard let plain = try? cipher.open(sealed, authenticating: Self.position(block)) else {
      result = Self.readError
      return nil
    }
    return plain
  }

  private static func position(_ block: Int64) -> [UInt8] {
    withUnsafeBytes(of: block) { Array($0) }
  }
}
