import Foundation
import Strongroom

/// Advice for queries that the store cannot answer, or only slowly: what to do on the command line,
/// and what only the program that owns the store can do.
extension StoreQuery {
  static func unknownEntity(_ name: String, _ model: ManagedObjectModel) -> ToolFailure {
    let names = model.entities.map(\.name)
    return ToolFailure(
      "the store has no entity \(name); it has \(names.joined(separator: ", "))"
        + NearestName.question(name, among: names))
  }

  /// Checks that the entity has a full-text index, which `--search` needs.
  /// - Throws: `ToolFailure` when it has none.
  static func checkWordIndex(_ entity: EntityDescription) throws {
    var holder: EntityDescription? = entity
    while let current = holder {
      if current.fetchIndexes.contains(where: { FetchIndexForm($0, of: current).isFullText }) { return }
      holder = current.superentity
    }
    let text = entity.attributes.first { $0.type == .string && !$0.isTransient }?.name
    let instead =
      text.map { "; without one, --where \"\($0) CONTAINS[cd] 'WORDS'\" reads every object" } ?? ""
    throw ToolFailure(
      "\(entity.name) has no full-text index\(instead); the program that owns the store can add one"
        + " (FetchIndex.fullText)")
  }

  /// How to add an index, and what to do without it.
  static func recommendation(to index: String) -> String {
    guard index.hasSuffix("(full text)") else {
      return ": the program that owns the store can add it to its model (FetchIndex)"
    }
    return
      ": the program that owns the store can add it to its model (FetchIndex.fullText), for --search;"
      + " until then, add a condition to --where that uses an index, so that fewer texts are read"
  }
}

extension FetchIndexForm {
  var isFullText: Bool {
    if case .fullText = self { return true }
    return false
  }
}
