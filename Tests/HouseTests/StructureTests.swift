import Testing

/// The walls of the house: small functions, small files, folders that depend on each other one way.
@Suite("House rules: structure")
struct StructureTests {
  /// Targets whose folders depend on each other one way.
  private static let layered = [
    "CipherDatabase", "ObjectContext", "ObjectQuery", "SQLCipherStore", "SecretService", "StoreTestKit",
    "StrongroomArchive", "StrongroomData", "StrongroomMacros", "StrongroomRecords",
  ]

  @Test("no function is more complex than 15, and at most two in a hundred are more complex than 10")
  func complexity() {
    let all = SourceFile.sources.flatMap { file in
      file.facts.functions.map { (where: "\(file.path):\($0.line) \($0.name)", complexity: $0.complexity) }
    }
    for function in all where function.complexity > 15 {
      Issue.record("\(function.where) has \(function.complexity)")
    }
    let complex = all.filter { $0.complexity > 10 }
    let names = complex.map { "\($0.complexity) \($0.where)" }.sorted()
    #expect(complex.count * 50 <= all.count, "\(complex.count) of \(all.count): \(names)")
  }

  @Test("folders of a target name each other's types one way", arguments: Self.layered)
  func arrows(target: String) {
    #expect(SourceFile.sources.contains { $0.target == target })
    let circular = FolderArrows(of: target, in: SourceFile.sources).circular
    #expect(circular.isEmpty, "\(circular.joined(separator: "\n"))")
  }

  @Test("files have at most 400 lines of at most 110 columns, and a topic's name")
  func files() {
    // Generated files are as their generator makes them.
    for file in SourceFile.sources + SourceFile.tests
    where !file.lines.prefix(2).contains(where: { $0.hasPrefix("// Made from") }) {
      #expect(file.lines.count <= 401, "\(file.path) has \(file.lines.count) lines")
      let wide = file.lines.indices.filter { file.lines[$0].count > 110 }.map { $0 + 1 }
      #expect(wide.isEmpty, "\(file.path) has wide lines: \(wide)")
      #expect(!file.path.hasSuffix("+More.swift"), "\(file.path) names no topic")
    }
  }

  /// A release build of a generic struct that stores Foundation's `SortDescriptor` refers to a private type
  /// of Foundation's, and programs with it do not link.
  @Test("sort descriptors are stored in arrays")
  func sortDescriptors() {
    for file in SourceFile.sources where file.target == "StrongroomData" {
      for line in file.lines where line.contains(#/^ *(\w+ )*(let|var) \w+: SortDescriptor<[^{]*$/#) {
        Issue.record("\(file.path): \(line)")
      }
    }
  }

  @Test("the tests of a folder are in the folder of that name")
  func mirroredTests() throws {
    var folders: [String: Set<String>] = [:]
    for file in SourceFile.sources { folders[file.target, default: []].insert(file.folder) }
    folders["StrongroomTool"] = folders["strongroom-tool"]
    for file in SourceFile.tests where file.target.hasSuffix("Tests") {
      let target = String(file.target.dropLast("Tests".count))
      guard let own = folders[target]?.subtracting(["."]), !own.isEmpty else { continue }
      #expect(
        own.contains(file.folder) || file.folder == "Fixtures",
        "\(file.path) is in no folder of Sources/\(target)")
    }
  }
}
