import Foundation
import Strongroom

/// What a query is answered with that the store cannot answer, or not well: names what can be done from the command line, and what
/// only the program can whose store it is.
extension StoreQuery {
  static func unknownEntity(_ name: String, _ model: ManagedObjectModel) -> ToolFailure {
    let names = model.entities.map(\.name)
    return ToolFailure(
      "the store has no entity \(name); it has \(names.joined(separator: ", "))"
        + NearestName.question(name, among: names))
  }

  /// - Throws: `ToolFailure` when the entity has no index of words, so that nothing can be searched for by `--search`.
  func checkWordIndex(_ entity: EntityDescription) throws {
    var holder: EntityDescription? = entity
    while let current = holder {
      if current.fetchIndexes.contains(where: { FetchIndexForm($0, of: current).isFullText }) { return }
      holder = current.superentity
    }
    let text = entity.attributes.first { $0.type == .string && !$0.isTransient }?.name
    let instead =
      text.map { "; without one, --where \"\($0) CONTAINS[cd] 'WORDS'\" reads every object" } ?? ""
    throw ToolFailure(
      "\(entity.name) has no index of words\(instead); an index is added by the program whose store it is"
        + " (FetchIndex.fullText)")
  }

  /// How an index comes about, and what to do without it.
  static func recommendation(to index: String) -> String {
    guard index.hasSuffix("(full text)") else {
      return ": the program whose store it is adds it to its model (FetchIndex)"
    }
    return
      ": the program whose store it is adds it to its model (FetchIndex.fullText), and --search asks it then;"
      + " until then, another condition in --where that an index serves leaves fewer texts to read"
  }
}

extension FetchIndexForm {
  var isFullText: Bool {
    if case .fullText = self { return true }
    return false
  }
}
