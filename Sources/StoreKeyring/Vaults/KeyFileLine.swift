import Glibc

/// One line of a key file, as a range of the file's bytes: `identifier item`, or something else,
/// which is preserved.
struct KeyFileLine {
  /// The line without surrounding blanks and without its line ending.
  let whole: UnsafeRawBufferPointer
  /// The part before the first blank; nil where there is no blank.
  let identifier: KeyIdentifier?
  /// The part after the first blank.
  let item: UnsafeRawBufferPointer

  private init(_ whole: UnsafeRawBufferPointer) {
    self.whole = whole
    guard let blank = whole.firstIndex(where: Self.isBlank) else {
      identifier = nil
      item = UnsafeRawBufferPointer(rebasing: whole[whole.count...])
      return
    }
    identifier = KeyIdentifier(String(decoding: whole[..<blank], as: UTF8.self))
    item = Self.trimmed(whole[blank...])
  }

  /// The lines of a file, without empty ones.
  ///
  /// Lines end with LF, CR or CR LF; the last one may have no end.
  static func all(_ contents: UnsafeRawBufferPointer) -> [KeyFileLine] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = contents.starts(with: mark) ? mark.count : 0
    return contents[start...].split(whereSeparator: { $0 == 10 || $0 == 13 }).flatMap { apart(trimmed($0)) }
  }

  /// Splits a line that holds two keys because one was appended to a line without an end.
  private static func apart(_ line: UnsafeRawBufferPointer) -> [KeyFileLine] {
    var lines: [KeyFileLine] = []
    var rest = line
    while !rest.isEmpty {
      let line = KeyFileLine(rest)
      guard line.item.count > KeyItem.length,
        KeyItem.store(UnsafeRawBufferPointer(rebasing: line.item[..<KeyItem.length])) != nil
      else { return lines + [line] }
      let end = rest.count - line.item.count + KeyItem.length
      lines.append(KeyFileLine(UnsafeRawBufferPointer(rebasing: rest[..<end])))
      rest = trimmed(rest[end...])
    }
    return lines
  }

  private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> UnsafeRawBufferPointer {
    guard let first = bytes.firstIndex(where: { !isBlank($0) }),
      let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return UnsafeRawBufferPointer(rebasing: bytes[..<bytes.startIndex]) }
    return UnsafeRawBufferPointer(rebasing: bytes[first...last])
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  /// The contents of a file with these lines, each ended by LF.
  static func contents(_ lines: [UnsafeRawBufferPointer]) -> SecretBytes {
    SecretBytes(count: lines.reduce(0) { $0 + $1.count + 1 }) { bytes in
      var end = 0
      for line in lines {
        UnsafeMutableRawBufferPointer(rebasing: bytes[end...]).copyBytes(from: line)
        end += line.count
        bytes[end] = 10
        end += 1
      }
    }
  }
}
