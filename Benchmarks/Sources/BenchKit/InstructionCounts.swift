import Foundation

/// Instructions for each operation of a phase, by phase and path: `P4 managed`.
package struct InstructionCounts {
  package struct Row {
    package let phase: Phase
    package let path: String
    package let count: Int

    package var name: String { "\(phase.rawValue) \(path)" }
  }

  package private(set) var rows: [Row]

  package subscript(name: String) -> Int? { rows.first { $0.name == name }?.count }

  /// The counts that callgrind dumped into a folder.
  package init(dumps folder: URL, _ workload: Workload) throws {
    rows = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .compactMap { file in
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        guard let name = Self.value("desc: Trigger: Client Request: ", lines),
          let total = (Self.value("totals: ", lines) ?? Self.value("summary: ", lines)).flatMap({ Int($0) })
        else { return nil }
        let count = total - Self.addressed(lines)
        return Self.row(name, total).map {
          Row(phase: $0.phase, path: $0.path, count: count / workload.operations($0.phase))
        }
      }
    sort()
  }

  private static func value(_ key: String, _ lines: [Substring]) -> String? {
    lines.first { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) }
  }

  /// The instructions of Swift's searches for generic types, which it hashes by their addresses: another build or folder
  /// has other addresses, and up to 2 % more or fewer steps.
  private static func addressed(_ lines: [Substring]) -> Int {
    var searches: Set<Substring> = []
    var (sum, isSearch, isCallee) = (0, false, false)
    for line in lines {
      if line.hasPrefix("fn=(") || line.hasPrefix("cfn=(") {
        // `fn=(12) name` the first time, then `fn=(12)`.
        let function = line.drop { $0 != "=" }.dropFirst()
        let number = function.prefix { $0 != " " }
        if function.contains("ConcurrentReadableHashMap") || function.contains("MetadataCacheKey::operator==")
        {
          searches.insert(number)
        }
        if line.hasPrefix("fn") { isSearch = searches.contains(number) }
      } else if line.hasPrefix("calls=") {
        isCallee = true
      } else if let first = line.utf8.first, first < UInt8(ascii: "A") {
        if isSearch, !isCallee { sum += line.split(separator: " ").last.flatMap { Int($0) } ?? 0 }
        isCallee = false
      }
    }
    return sum
  }

  /// The counts of a file that `text` made.
  package init(file: URL) throws {
    rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      guard parts.count == 3, let count = Int(parts[2]) else { return nil }
      return Self.row("\(parts[0]) \(parts[1])", count)
    }
    sort()
  }

  package var text: String { rows.map { "\($0.name) \($0.count)\n" }.joined() }

  private static func row(_ name: String, _ count: Int) -> Row? {
    let parts = name.split(separator: " ").map(String.init)
    guard parts.count == 2, let phase = Phase(rawValue: parts[0]) else { return nil }
    return Row(phase: phase, path: parts[1], count: count)
  }

  /// By phase, the limit first.
  private mutating func sort() {
    let places = Dictionary(uniqueKeysWithValues: Phase.allCases.enumerated().map { ($1, $0) })
    rows.sort { left, right in
      if left.phase != right.phase { return places[left.phase, default: 0] < places[right.phase, default: 0] }
      return left.path == "limit" || right.path != "limit" && left.path < right.path
    }
  }
}
