import Testing

/// The walls of the house: small functions, small files, folders that depend on each other one way.
@Suite("House rules: structure")
struct StructureTests {
  @Test("no function is more complex than 15, and at most two in a hundred are more complex than 10")
  func complexity() {
    let all = SourceFile.sources.flatMap { file in
      file.facts.functions.map { (where: "\(file.path):\($0.line) \($0.name)", complexity: $0.complexity) }
    }
    let tooComplex = all.filter { $0.complexity > 15 }.map { "\($0.where) has \($0.complexity)" }
    #expect(tooComplex.isEmpty, "\(tooComplex.joined(separator: "\n"))")
    let complex = all.filter { $0.complexity > 10 }
    #expect(complex.count * 50 <= all.count, "\(complex.count) of \(all.count) functions")
  }

  @Test("folders of a target name each other's types one way", arguments: Self.targets)
  func arrows(target: String) {
    let circular = FolderArrows(of: target, in: SourceFile.sources).circular
    #expect(circular.isEmpty, "\(circular.joined(separator: "\n"))")
  }

  @Test("files have at most 400 lines of at most 110 columns, and a topic's name")
  func files() {
    // Generated files are as their generator makes them.
    for file in SourceFile.sources + SourceFile.tests where !file.isGenerated {
      #expect(file.lines.count <= 401, "\(file.path) has \(file.lines.count) lines")
      let wide = file.lines.indices.filter { file.lines[$0].count > 110 }.map { $0 + 1 }
      #expect(wide.isEmpty, "\(file.path) has wide lines: \(wide)")
      #expect(!file.path.hasSuffix("+More.swift"), "\(file.path) names no topic")
    }
  }

  static let targets = Set(SourceFile.sources.map(\.target)).sorted()
}
