import Foundation
import Testing

/// `Documentation/Architecture.md` says which target uses which; the code's imports say the same.
@Suite("House rules: architecture")
struct ArchitectureTests {
  @Test("the page's table of targets is what the code imports")
  func imports() throws {
    let targets = Set(SourceFile.sources.map(\.target))
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: SourceFile.root.appendingPathComponent("Sources").path)
    var used: [String: Set<String>] = [:]
    for file in SourceFile.sources {
      used[file.target, default: []].formUnion(
        file.facts.imports.intersection(folders).subtracting([file.target]))
    }
    let stated = try Self.stated()
    #expect(Set(stated.keys) == targets, "the table names every target that has Swift sources")
    for target in targets.sorted() {
      #expect(stated[target] == used[target], "\(target) imports \(used[target, default: []].sorted())")
    }
  }

  @Test("records and the archive use no target with a macro, and not each other")
  func macros() throws {
    let stated = try Self.stated()
    let declaring = SourceFile.sources.filter { $0.lines.contains { $0.contains("#externalMacro(") } }
    let withMacros = Set(declaring.map(\.target))
    #expect(withMacros == ["StrongroomData", "StrongroomRecordMacros"])
    for target in ["Strongroom", "StrongroomArchive", "StrongroomRecords"] {
      var used: Set<String> = []
      var next = stated[target, default: []]
      while let one = next.popFirst() {
        if used.insert(one).inserted { next.formUnion(stated[one, default: []]) }
      }
      #expect(!used.isEmpty)
      #expect(
        used.isDisjoint(with: withMacros.union(["StrongroomArchive", "StrongroomRecords"])), "\(target)")
    }
  }

  @Test("the page's table of packages is what the code imports of them")
  func packages() throws {
    var stated: [String: Set<String>] = [:]
    for match in try Self.page().matches(of: /(?m)^\| [A-Za-z-]+ \| ([^|\n]*) \| ([^|\n]*) \|$/) {
      let targets = Set(match.2.matches(of: /`([A-Za-z-]+)`/).map { String($0.1) })
      for module in match.1.matches(of: /`([A-Za-z0-9]+)`/) { stated[String(module.1)] = targets }
    }
    #expect(stated["Logging"] != nil, "the page has a table of packages")
    var used: [String: Set<String>] = [:]
    let own = try FileManager.default.contentsOfDirectory(
      atPath: SourceFile.root.appendingPathComponent("Sources").path)
    let toolchain: Set = [
      "Dispatch", "Foundation", "FoundationXML", "Glibc", "Observation", "Synchronization",
    ]
    for file in SourceFile.sources {
      for module in file.facts.imports.subtracting(own).subtracting(toolchain) {
        used[module, default: []].insert(file.target)
      }
    }
    for module in Set(stated.keys).union(used.keys).sorted() {
      #expect(
        stated[module] == used[module], "\(module) is imported by \(used[module, default: []].sorted())")
    }
  }

  @Test("the page's folders exist, and every folder is on it")
  func folders() throws {
    let page = try Self.page()
    for file in SourceFile.sources where file.folder != "." {
      let folder = "\(file.target)/\(file.folder.prefix { $0 != "/" })"
      #expect(page.contains("`\(folder)`"), "\(folder) is not on the page")
    }
    for match in page.matches(of: /`((?!Tests)[A-Za-z-]+)\/([A-Za-z]+)`/) {
      let path = "Sources/\(match.1)/\(match.2)"
      #expect(
        FileManager.default.fileExists(atPath: SourceFile.root.appendingPathComponent(path).path), "\(path)")
    }
  }

  @Test("the files that the page's journeys name exist")
  func files() throws {
    let names = Set(SourceFile.sources.compactMap { $0.path.split(separator: "/").last.map(String.init) })
    for match in try Self.page().matches(of: /`([A-Za-z+]+\.swift)`/) {
      #expect(names.contains(String(match.1)), "there is no \(match.1)")
    }
  }

  private static func page() throws -> String {
    try String(
      contentsOf: SourceFile.root.appendingPathComponent("Documentation/Architecture.md"), encoding: .utf8)
  }

  /// The rows `| \`Target\` | what it is | \`Other\`, \`Another\` |`.
  private static func stated() throws -> [String: Set<String>] {
    var stated: [String: Set<String>] = [:]
    for match in try page().matches(of: /(?m)^\| `([A-Za-z-]+)` \|[^|\n]*\|([^|\n]*)\|$/) {
      stated[String(match.1)] = Set(match.2.matches(of: /`([A-Za-z-]+)`/).map { String($0.1) })
    }
    return stated
  }
}
