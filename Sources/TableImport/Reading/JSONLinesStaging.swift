import CipherDatabase
import Foundation

/// Reads a file with a JSON object on each line into a temporary table.
struct JSONLinesStaging {
  private let staged: StagedTable
  private let file: TextFile
  private let decoder = JSONDecoder()
  private var columns: [String: Int] = [:]
  private var rest: [UInt8] = []
  private var line = 0

  init(_ url: URL, number: Int, _ database: PlainDatabase) throws {
    file = try TextFile(url)
    staged = try StagedTable(
      url.deletingPathExtension().lastPathComponent, .jsonLines, number: number, database)
  }

  mutating func run(_ fault: (TableImportFault) -> Void) throws -> SourceTable {
    try file.each { try read($0, fault) }
    if !rest.isEmpty { try endLine(fault) }
    guard !columns.isEmpty else {
      throw TableImportError(
        .malformed,
        "\(file.path) has no line with a JSON object; write one object on each line, as"
          + " jq -c '.[]' does of an array")
    }
    try staged.finish()
    return staged.table
  }

  private mutating func read(_ piece: UnsafeRawBufferPointer, _ fault: (TableImportFault) -> Void) throws {
    var start = 0
    while start < piece.count {
      let end = piece[start...].firstIndex(of: 10)
      rest.append(contentsOf: piece[start..<(end ?? piece.count)])
      guard rest.count <= TextFile.mostBytes else {
        throw TableImportError(
          .tooLarge,
          "\(file.path): line \(line + 1) has more than \(TextFile.mostBytes) bytes; write one"
            + " object on each line")
      }
      guard let end else { return }
      try endLine(fault)
      start = end + 1
    }
  }

  private mutating func endLine(_ fault: (TableImportFault) -> Void) throws {
    line += 1
    defer { rest.removeAll(keepingCapacity: true) }
    guard let first = rest.first(where: { $0 > 32 }) else { return }
    func refuse(_ message: String) {
      fault(TableImportFault(.line, staged.table.name, Int64(line), nil, message + "; it is left out"))
    }
    guard first == UInt8(ascii: "{") else { return refuse("it is no JSON object") }
    guard let members = try? decoder.decode([String: JSONMember].self, from: Data(rest)) else {
      return refuse("it is no JSON that can be read")
    }
    let found = try values(members)
    try staged.insert { parameters in
      for (column, value) in found {
        let place = Int32(column + 1)
        switch value {
        case .integer(let integer): parameters.bind(place, integer)
        case .real(let double): parameters.bind(place, double)
        case .text(let bytes): bytes.withUnsafeBytes { parameters.bind(place, text: $0, copy: true) }
        case .blob(let bytes): bytes.withUnsafeBytes { parameters.bind(place, blob: $0, copy: true) }
        }
      }
    }
  }

  /// The members of the line's object that are not null.
  private mutating func values(_ members: [String: JSONMember]) throws -> [(
    column: Int, value: StagedValue
  )] {
    var found: [(column: Int, value: StagedValue)] = []
    for (key, member) in members.sorted(by: { $0.key < $1.key }) {
      let column = try column(key)
      guard let value = try member.staged() else { continue }
      staged.profile(column) { member.add(to: &$0) }
      found.append((column, value))
    }
    return found
  }

  private mutating func column(_ key: String) throws -> Int {
    if let known = columns[key] { return known }
    guard columns.count < SourceCatalogue.mostColumns else {
      throw TableImportError(
        .tooLarge,
        "\(file.path): the objects have more than \(SourceCatalogue.mostColumns) keys; divide"
          + " the file")
    }
    try staged.add(column: key)
    columns[key] = columns.count
    return columns.count - 1
  }
}
