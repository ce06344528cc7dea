import CZlib
public import Foundation

/// Raw DEFLATE, without the header of zlib or gzip: how Core Data stores a model in `Z_MODELCACHE`.
public enum Deflate {
  /// Decompresses the bytes of one stream to at most `limit` bytes; what stands behind its end is
  /// ignored.
  ///
  /// - Throws: `KeyedArchiveError` when the bytes are no such stream, are cut off, or become more
  ///   than the limit.
  public static func inflate(_ data: Data, limit: Int = 256 << 20) throws(KeyedArchiveError) -> Data {
    let stream = Stream()
    guard inflateInit2_(stream.pointer, -15, zlibVersion(), Stream.size) == Z_OK else { throw failed }
    defer { inflateEnd(stream.pointer) }
    let (output, isWhole) = try run(stream, data, limit: limit) { CZlib.inflate($0, Z_NO_FLUSH) }
    guard output.count <= limit else { throw tooLarge(limit) }
    guard isWhole else {
      throw KeyedArchiveError(
        .damaged, "these bytes are no whole DEFLATE stream; check that they are not cut off or have a header")
    }
    return output
  }

  /// Compresses bytes.
  ///
  /// - Throws: `KeyedArchiveError` for 4 GiB and more.
  public static func deflate(_ data: Data) throws(KeyedArchiveError) -> Data {
    let stream = Stream()
    let isReady = deflateInit2_(
      stream.pointer, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, zlibVersion(),
      Stream.size)
    guard isReady == Z_OK else { throw failed }
    defer { deflateEnd(stream.pointer) }
    let (output, isWhole) = try run(stream, data, limit: .max) { CZlib.deflate($0, Z_FINISH) }
    guard isWhole else { throw failed }
    return output
  }

  /// zlib's state refers to the stream, which may therefore not move.
  private final class Stream {
    static let size = Int32(MemoryLayout<z_stream>.size)
    let pointer = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    init() { pointer.initialize(to: z_stream()) }

    deinit { pointer.deallocate() }
  }

  private static var failed: KeyedArchiveError {
    KeyedArchiveError(.compressionFailed, "zlib has too little memory; close programs that use much")
  }

  private static func tooLarge(_ limit: Int) -> KeyedArchiveError {
    KeyedArchiveError(.tooLarge, "there are more than \(limit) bytes; raise the limit to read them")
  }

  /// Runs a stream to its end, or until there is more than the limit.
  private static func run(
    _ stream: Stream, _ data: Data, limit: Int, _ step: (UnsafeMutablePointer<z_stream>) -> Int32
  ) throws(KeyedArchiveError) -> (output: Data, isWhole: Bool) {
    guard let inputCount = UInt32(exactly: data.count) else { throw tooLarge(Int(UInt32.max)) }
    var input = [UInt8](data)
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var output = Data()
    let isWhole = input.withUnsafeMutableBufferPointer { input in
      stream.pointer.pointee.next_in = input.baseAddress
      stream.pointer.pointee.avail_in = inputCount
      while true {
        let (result, count) = chunk.withUnsafeMutableBufferPointer { chunk in
          stream.pointer.pointee.next_out = chunk.baseAddress
          stream.pointer.pointee.avail_out = UInt32(chunk.count)
          let result = step(stream.pointer)
          return (result, chunk.count - Int(stream.pointer.pointee.avail_out))
        }
        output.append(contentsOf: chunk.prefix(count))
        if output.count > limit { return false }
        if result == Z_STREAM_END { return true }
        guard result == Z_OK, count > 0 || stream.pointer.pointee.avail_in > 0 else { return false }
      }
    }
    return (output, isWhole)
  }
}
