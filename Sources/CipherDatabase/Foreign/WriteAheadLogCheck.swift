import Foundation

/// Finds frames of a write-ahead log that SQLite ignores: it reads up to the first with a wrong checksum,
/// and reports nothing.
///
/// The form is that of sqlite.org/fileformat2.html, 4.1 and 4.2.
struct WriteAheadLogCheck {
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  private let salts: [UInt8]
  private let isBigEndian: Bool
  private let pageSize: Int
  private var sums: (UInt32, UInt32) = (0, 0)

  /// - Returns: False too for a log that cannot be read, which opening it reports.
  static func losesFrames(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: headerSize),
      var check = WriteAheadLogCheck([UInt8](head))
    else { return false }
    return check.losesFrames { (try? file.read(upToCount: $0)).flatMap { $0 }.map { [UInt8]($0) } ?? [] }
  }

  private init?(_ header: [UInt8]) {
    guard header.count == Self.headerSize else { return nil }
    isBigEndian = header[3] & 1 == 1
    let size = Self.number(header[8..<12], bigEndian: true)
    pageSize = size == 1 ? 65536 : Int(size)
    // Sums are of eight bytes at a time, which a page of another size has not.
    guard pageSize >= 512, pageSize <= 65536, pageSize & (pageSize - 1) == 0 else { return nil }
    salts = Array(header[16..<24])
    add(header[0..<24])
    if !has(header[24..<32]) { return nil }
  }

  private mutating func losesFrames(_ read: (Int) -> [UInt8]) -> Bool {
    var isWhole = true
    while true {
      let frame = read(Self.frameHeaderSize + pageSize)
      if frame.count < 16 { return false }
      // Frames from before the log was begun anew have other salts.
      guard frame[8..<16].elementsEqual(salts) else {
        isWhole = false
        continue
      }
      if !isWhole || frame.count < Self.frameHeaderSize + pageSize { return true }
      add(frame[0..<8])
      add(frame[Self.frameHeaderSize...])
      if !has(frame[16..<24]) { return true }
    }
  }

  private func has(_ bytes: ArraySlice<UInt8>) -> Bool {
    Self.number(bytes.prefix(4), bigEndian: true) == sums.0
      && Self.number(bytes.suffix(4), bigEndian: true) == sums.1
  }

  private mutating func add(_ bytes: ArraySlice<UInt8>) {
    for place in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
      sums.0 &+= Self.number(bytes[place..<place + 4], bigEndian: isBigEndian) &+ sums.1
      sums.1 &+= Self.number(bytes[place + 4..<place + 8], bigEndian: isBigEndian) &+ sums.0
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>, bigEndian: Bool) -> UInt32 {
    let value = bytes.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    return bigEndian ? value : value.byteSwapped
  }
}
