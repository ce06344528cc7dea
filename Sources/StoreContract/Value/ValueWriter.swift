public import Foundation

/// Takes the bytes of one value in pieces, from the first to the last.
///
/// Valid while the closure that gets it runs. Not Sendable.
public final class ValueWriter {
  /// The number of bytes that the value is to have.
  public let count: Int
  /// The number of bytes written so far.
  public private(set) var offset = 0
  private var put: ((UnsafeRawBufferPointer, Int) throws -> Void)?
  /// The error of an earlier write, which the closure may have caught.
  private var failure: (any Error)?

  /// Creates a writer over a store's own function that writes bytes at an offset.
  public init(count: Int, _ put: @escaping (_ bytes: UnsafeRawBufferPointer, _ offset: Int) throws -> Void) {
    self.count = count
    self.put = put
  }

  /// Appends bytes; they are read before it returns.
  /// - Throws: `StoreError`: `invalidValue` when the value would become longer than promised,
  ///   `valueClosed` once the closure ended, `diskFull`. The value stays as it was then, whatever
  ///   the closure does about it.
  public func write(_ bytes: UnsafeRawBufferPointer) throws {
    guard let put else {
      throw StoreError(.valueClosed, "the value was written already; write inside the closure")
    }
    if let failure { throw failure }
    do {
      guard bytes.count <= count - offset else {
        throw StoreError(
          .invalidValue,
          "more than the \(count) bytes were written that the value was to have; nothing was saved")
      }
      try put(bytes, offset)
    } catch {
      failure = error
      throw error
    }
    offset += bytes.count
  }

  /// Appends bytes.
  /// - Throws: as `write(_:)`.
  public func write(contentsOf data: some DataProtocol) throws {
    for region in data.regions { try region.withUnsafeBytes { try write($0) } }
  }

  /// Ends the writing, for stores: nothing is taken after.
  /// - Throws: what writing failed with; `invalidValue` when bytes are missing.
  public func finish() throws {
    end()
    if let failure { throw failure }
    guard offset == count else {
      throw StoreError(
        .invalidValue,
        "\(offset) bytes were written of \(count) that the value was to have; nothing was saved")
    }
  }

  /// Ends the writing where the closure threw.
  public func end() { put = nil }
}
