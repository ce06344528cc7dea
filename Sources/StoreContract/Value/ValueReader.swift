public import Foundation
import Locks

/// Reads one value in pieces, as it was when it was opened; later writes do not change what it
/// reads.
///
/// Sendable: open it where the context is, read it where the bytes are needed. Close it soon: until
/// then the encrypted store reserves a connection and the snapshot that it reads.
public final class ValueReader: Sendable {
  private struct State: Sendable {
    var offset = 0
    var isOpen = true
  }

  /// The number of bytes of the value.
  public let count: Int
  private let state = Locked(State())
  private let fill: @Sendable (UnsafeMutableRawBufferPointer, Int) throws -> Void
  private let release: @Sendable () -> Void

  /// Creates a reader over a store's own function that fills a buffer with the bytes from an
  /// offset.
  ///
  /// - Parameters:
  ///   - count: The number of bytes in the value.
  ///   - fill: Fills the whole buffer with the bytes from an offset.
  ///   - close: Called once, when the reader is closed or deallocated.
  public init(
    count: Int,
    _ fill: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) throws -> Void,
    close: @escaping @Sendable () -> Void = {}
  ) {
    self.count = count
    self.fill = fill
    release = close
  }

  deinit { close() }

  /// The offset of the next read, in bytes from the value's beginning.
  public var offset: Int { state.withLock { $0.offset } }

  /// Moves to where the next read is to begin; `count` is the end.
  /// - Throws: `StoreError`: `invalidValue` before the beginning or past the end, `valueClosed`.
  public func seek(toOffset offset: Int) throws {
    try state.withLock { state in
      try Self.check(state)
      guard offset >= 0, offset <= count else {
        throw StoreError(.invalidValue, "there is no byte \(offset) in a value of \(count) bytes")
      }
      state.offset = offset
    }
  }

  /// The next bytes, at most so many; nil at the end.
  ///
  /// No statement.
  /// - Throws: `StoreError`: `valueClosed`, `invalidValue` for a negative length, `fileDamaged`.
  public func read(upToCount length: Int) throws -> Data? {
    guard length >= 0 else { throw StoreError(.invalidValue, "a piece cannot have \(length) bytes") }
    var data = Data(count: min(length, count - offset))
    let got = try data.withUnsafeMutableBytes { try read(into: $0) }
    if got == 0, length > 0 { return nil }
    // Another thread may have read in between.
    return got == data.count ? data : data.prefix(got)
  }

  /// Fills a buffer with the next bytes and tells how many there were; 0 at the end.
  ///
  /// No statement.
  /// - Throws: as `read(upToCount:)`.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try state.withLock { state in
      try Self.check(state)
      let length = min(buffer.count, count - state.offset)
      if length > 0 { try fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), state.offset) }
      state.offset += length
      return length
    }
  }

  /// Closes the value; reading throws after.
  ///
  /// A second call does nothing.
  public func close() {
    let wasOpen = state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen
    }
    if wasOpen { release() }
  }

  private static func check(_ state: State) throws {
    if !state.isOpen { throw StoreError(.valueClosed, "the value was closed; open it again") }
  }
}
