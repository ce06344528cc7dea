/// Which folders of a target name types that other folders of it declare.
struct FolderArrows {
  struct Arrow: Hashable {
    let from: String
    let to: String
  }

  /// The types that make an arrow, by the arrow.
  private(set) var types: [Arrow: Set<String>] = [:]

  init(of target: String, in files: [SourceFile]) {
    let own = files.filter { $0.target == target }
    var folders: [String: Set<String>] = [:]
    var associated: [String: Set<String>] = [:]
    for file in own {
      associated[file.folder, default: []].formUnion(file.facts.associatedTypes)
      for type in file.facts.declaredTypes { folders[type, default: []].insert(file.folder) }
    }
    for file in own {
      for type in file.facts.mentionedTypes.subtracting(file.facts.hiddenTypes) {
        // A name that this folder declares too is its own.
        guard let declaring = folders[type], !declaring.contains(file.folder),
          associated[file.folder]?.contains(type) != true
        else { continue }
        for folder in declaring { types[Arrow(from: file.folder, to: folder), default: []].insert(type) }
      }
    }
  }

  /// Pairs of folders that name each other's types, each once.
  var circular: [String] {
    types.keys.filter { $0.from < $0.to && types[Arrow(from: $0.to, to: $0.from)] != nil }
      .map { arrow in
        let back = Arrow(from: arrow.to, to: arrow.from)
        return "\(arrow.from) names \(list(arrow)); \(arrow.to) names \(list(back))"
      }.sorted()
  }

  private func list(_ arrow: Arrow) -> String {
    "\(arrow.to)'s \(types[arrow, default: []].sorted().joined(separator: ", "))"
  }
}
