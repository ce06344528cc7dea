import Foundation
import Strongroom

/// Completes the end of a line of the shell.
struct ShellCompletion {
  static let commands = [".describe", ".entities", ".format", ".help", ".quit"]
  private static let operators = ["@avg", "@count", "@max", "@median", "@min", "@sum"]

  let model: ManagedObjectModel

  /// The possible words with a prefix.
  ///
  /// - `line`: The text before the word.
  func candidates(for word: String, after line: String) -> [String] {
    all(word, line.trimmingCharacters(in: .whitespaces), ShellLine.parts(line)).filter { $0.hasPrefix(word) }
      .sorted()
  }

  private func all(_ word: String, _ line: String, _ parts: [String]) -> [String] {
    let entities = model.entities.map(\.name)
    if line.isEmpty { return entities + Self.commands }
    if line.hasPrefix(".") { return arguments(ofCommand: line) }
    if parts.count == 1 { return [] }
    let stage = parts[parts.count - 1]
    if stage.isEmpty { return ShellLine.stages.map(\.name) }
    if stage == "as" { return OutputFormat.allCases.map(\.rawValue) }
    guard let entity = model.entity(named: parts[0]) else { return [] }
    let names = properties(word, entity)
    guard stage.hasPrefix("aggregates") else { return names }
    return names + FetchAggregate.allCases.map { $0 == .count ? $0.rawValue : $0.rawValue + ":" }
  }

  private func arguments(ofCommand command: String) -> [String] {
    switch command {
    case ".describe": model.entities.map(\.name)
    case ".format": OutputFormat.allCases.map(\.rawValue)
    default: []
    }
  }

  /// The properties that may follow the last dot of a key path, each with the text before it.
  private func properties(_ word: String, _ entity: EntityDescription) -> [String] {
    let start = word.lastIndex { $0 == "-" || $0 == ":" }.map { String(word[...$0]) } ?? ""
    let path = word.dropFirst(start.count).split(separator: ".", omittingEmptySubsequences: false).map(
      String.init)
    var current = entity
    var isPlural = false
    let before = start + path.dropLast().map { $0 + "." }.joined()
    for (place, name) in path.dropLast().enumerated() {
      guard let next = current.relationship(named: name) else {
        let composite = current.attribute(named: name)?.element(path.dropLast().dropFirst(place + 1))
        return (composite?.elements ?? []).map { before + $0.name }
      }
      current = next.destination
      isPlural = isPlural || next.isToMany
    }
    let names = current.properties.map { property in
      switch property {
      case .attribute(let attribute): attribute.name
      case .relationship(let relationship): relationship.name
      }
    }
    return (names + (isPlural ? Self.operators : [])).map { before + $0 }
  }
}
