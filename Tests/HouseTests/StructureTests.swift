import Testing

/// The walls of the house: small functions, small files, folders that depend on each other one way.
/// A target stands in a list here once it keeps the rule.
@Suite("House rules: structure")
struct StructureTests {
  private static let simple: Set<String> = [
    "CipherDatabase", "Locks", "SQLCipherStore", "SecretService", "StoreKeyring", "StoreTestKit",
    "Strongroom",
    "StrongroomData", "StrongroomMacros", "StrongroomRecords", "StrongroomValues", "SwiftData",
    "model-classes", "strongroom-tool",
  ]
  private static let layered = [
    "CipherDatabase", "ObjectQuery", "SQLCipherStore", "SecretService", "StoreTestKit", "StrongroomData",
    "StrongroomMacros",
    "StrongroomValues",
  ]

  @Test("no function is more complex than 15")
  func complexity() {
    for file in SourceFile.sources where Self.simple.contains(file.target) {
      for function in file.facts.functions where function.complexity > 15 {
        Issue.record("\(file.path):\(function.line) \(function.name) has \(function.complexity)")
      }
    }
  }

  @Test("folders of a target name each other's types one way", arguments: Self.layered)
  func arrows(target: String) {
    #expect(SourceFile.sources.contains { $0.target == target })
    let circular = FolderArrows(of: target, in: SourceFile.sources).circular
    #expect(circular.isEmpty, "\(circular.joined(separator: "\n"))")
  }

  @Test("files have at most 400 lines and a topic's name")
  func files() {
    for file in SourceFile.sources + SourceFile.tests {
      #expect(file.lines.count <= 401, "\(file.path) has \(file.lines.count) lines")
      #expect(!file.path.hasSuffix("+More.swift"), "\(file.path) names no topic")
    }
  }
}
