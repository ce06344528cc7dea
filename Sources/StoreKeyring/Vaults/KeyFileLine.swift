import Glibc

/// One line of a key file, where it stands in the file's bytes: `identifier item`, or something else, which is left as it is.
struct KeyFileLine {
  /// The line without blanks around it and without its end.
  let whole: UnsafeRawBufferPointer
  /// The part before the first blank; nil where there is no blank.
  let identifier: KeyIdentifier?
  /// The part after it.
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

  /// The lines of a file, whatever its ends are: LF, CR LF, and none after the last. Empty ones are left out.
  static func all(_ contents: UnsafeRawBufferPointer) -> [KeyFileLine] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let start = contents.starts(with: mark) ? mark.count : 0
    return contents[start...].split(whereSeparator: { $0 == 10 || $0 == 13 }).flatMap { apart(trimmed($0)) }
  }

  /// Two keys stand in one line where one was appended to a line that had no end.
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

  /// A file of lines, each with an end.
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
