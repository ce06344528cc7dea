/// Divides CSV into rows and fields, as RFC 4180 has it: quoted fields may have separators, line
/// ends and doubled quotes.
///
/// Line ends are LF, CR LF or CR. Lines without a byte are no rows.
struct CSVReader {
  /// The fields of one row, valid while its body runs.
  struct Row {
    let line: Int
    let bytes: UnsafeRawBufferPointer
    let ends: [Int]

    var count: Int { ends.count }

    subscript(_ index: Int) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]])
    }
  }

  static let separators: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), 9]
  private static let quote = UInt8(ascii: "\"")

  private enum State { case fieldStart, plain, quoted, quoteInQuoted }

  private let path: String
  private let mostFields: Int
  private var separator: UInt8?
  private var state = State.fieldStart
  private var endsInReturn = false
  private var row: [UInt8] = []
  private var ends: [Int] = []
  private var line = 1
  private var rowLine = 1
  private var hasBytes = false

  init(path: String, mostFields: Int) {
    self.path = path
    self.mostFields = mostFields
  }

  /// The separator that the first line has most of, outside quotes.
  private static func separator(_ piece: UnsafeRawBufferPointer) -> UInt8 {
    var counts = [Int](repeating: 0, count: separators.count)
    var isQuoted = false
    for byte in piece {
      if byte == quote { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == 10 || byte == 13 { break }
      if let index = separators.firstIndex(of: byte) { counts[index] += 1 }
    }
    let most = counts.indices.max { counts[$0] < counts[$1] } ?? 0
    return counts[most] == 0 ? separators[0] : separators[counts.firstIndex(of: counts[most]) ?? most]
  }

  /// Reads the next piece of the file.
  mutating func read(_ piece: UnsafeRawBufferPointer, _ body: (Row) throws -> Void) throws {
    let separator = self.separator ?? Self.separator(piece)
    self.separator = separator
    for byte in piece {
      if byte == 10, endsInReturn {
        endsInReturn = false
        continue
      }
      endsInReturn = false
      switch state {
      case .fieldStart, .plain:
        if byte == separator {
          try endField()
        } else if byte == 10 || byte == 13 {
          try endRow(body)
          endsInReturn = byte == 13
        } else if byte == Self.quote, state == .fieldStart {
          state = .quoted
          hasBytes = true
        } else {
          try append(byte)
          state = .plain
        }
      case .quoted:
        if byte == Self.quote { state = .quoteInQuoted } else { try append(byte) }
        if byte == 10 { line += 1 }
      case .quoteInQuoted:
        try afterQuote(byte, separator, body)
      }
    }
  }

  private mutating func afterQuote(_ byte: UInt8, _ separator: UInt8, _ body: (Row) throws -> Void) throws {
    if byte == Self.quote {
      try append(byte)
      state = .quoted
    } else if byte == separator {
      try endField()
    } else if byte == 10 || byte == 13 {
      try endRow(body)
      endsInReturn = byte == 13
    } else {
      // What follows a closing quote belongs to the field, as most readers have it.
      try append(byte)
      state = .plain
    }
  }

  /// Ends the last row.
  mutating func finish(_ body: (Row) throws -> Void) throws {
    guard state != .quoted else {
      throw TableImportError(
        .malformed, "\(path): a quote that opens in the row of line \(rowLine) does not close; repair it")
    }
    if hasBytes || !ends.isEmpty { try endRow(body) }
  }

  private mutating func append(_ byte: UInt8) throws {
    hasBytes = true
    row.append(byte)
    guard row.count <= TextFile.mostBytes else {
      throw TableImportError(
        .tooLarge,
        "\(path): the row of line \(rowLine) has more than \(TextFile.mostBytes) bytes; is a quote missing,"
          + " or is the file no CSV?")
    }
  }

  private mutating func endField() throws {
    ends.append(row.count)
    hasBytes = true
    state = .fieldStart
    guard ends.count < mostFields else {
      throw TableImportError(
        .tooLarge, "\(path): line \(rowLine) has more than \(mostFields) columns; divide the file")
    }
  }

  private mutating func endRow(_ body: (Row) throws -> Void) throws {
    if hasBytes || !ends.isEmpty {
      ends.append(row.count)
      try row.withUnsafeBytes { try body(Row(line: rowLine, bytes: $0, ends: ends)) }
    }
    row.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    hasBytes = false
    state = .fieldStart
    line += 1
    rowLine = line
  }
}
