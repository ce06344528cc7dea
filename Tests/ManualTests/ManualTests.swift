import Foundation
import Testing

@Suite("The manual")
struct ManualTests {
  private static let catalogues = [
    "Sources/Strongroom/Strongroom.docc", "Sources/StrongroomData/StrongroomData.docc",
  ]

  @Test("Every piece of Swift in the manual stands in a test, line for line")
  func everyBlock() throws {
    var pages: [String: String] = [:]
    for folder in Self.catalogues + ["Documentation"] {
      for (name, page) in try Sources.files(folder, ".md") { pages["\(folder)/\(name)"] = page }
    }
    // The README's program is the engine's first one too; its vault there is the test's.
    let example = try Sources.files("Tests/StrongroomTests", "ReadmeExample.swift").mapValues {
      $0.replacingOccurrences(of: "vault: vault)", with: "vault: SecretServiceVault())")
    }
    let tests = (Array(try Sources.files("Tests/ManualTests", ".swift").values) + Array(example.values))
      .map(Sources.lines)
    var count = 0
    for (name, page) in pages {
      for block in Sources.blocks(page) {
        count += 1
        #expect(
          tests.contains { Sources.occur(block, in: $0) },
          "\(name): no test has the piece that begins with “\(block.first ?? "")”")
      }
    }
    #expect(pages.count >= 30 && count >= 75, "\(pages.count) pages, \(count) pieces")
    // The README's pieces are compared in StrongroomTests.
  }

  @Test("The tests of the manual use at least 100 names of the typed layer")
  func names() throws {
    let sources = try Sources.files("Sources/StrongroomData", ".swift")
    let declared = sources.filter { !$0.key.hasPrefix("Model/ModelObject") }
      .flatMap { PublicDeclaration.all(in: $0.key, $0.value) }
    let tests = try Sources.files("Tests/ManualTests", "Tests.swift").filter { $0.key != "ManualTests.swift" }
    let text = tests.values.joined(separator: "\n")
    let words = Set(text.matches(of: /[.@#\[(<: ](\w+)/).map { String($0.1) })
    // What the tests' own types are called proves nothing.
    let own = Set(text.matches(of: /(?:var|let|func|case) (\w+)/).map { String($0.1) })
    let used = Set(declared.map(\.name)).filter { words.contains($0) && !own.contains($0) }
      .filter { !["init", "subscript", ""].contains($0) && !$0.hasPrefix("_") }
    print("The manual uses \(used.count) names:", used.sorted().joined(separator: " "))
    #expect(used.count >= 100)
  }

  @Test("Every public declaration of the typed layer is documented")
  func documented() throws {
    var count = 0
    for (file, text) in try Sources.files("Sources/StrongroomData", ".swift") {
      for declaration in PublicDeclaration.all(in: file, text) {
        count += 1
        #expect(
          declaration.isDocumented, "\(file):\(declaration.line): \(declaration.name) has no documentation")
      }
    }
    #expect(count > 300, "\(count) declarations were found")
  }

  @Test("A declaration without documentation is found")
  func undocumented() {
    let text = """
      /// A protocol.
      public protocol Shape {
        /// Told.
        var area: Int { get }
        func grow()
      }
      /// An enumeration.
      public enum Kind {
        /// Told.
        case one
        case two
      }
      /// A macro.
      @attached(
        member,
        names: named(area))
      public macro Told() = #externalMacro(module: "A", type: "B")
      public let plain = 1  // public
      struct Inner { func none() {} }
      /// A class.
      @inlinable public static func told() {}
      open class Plain {}
      """
    let found = PublicDeclaration.all(in: "Text", text)
    #expect(
      found.map(\.name) == [
        "Shape", "area", "grow", "Kind", "one", "two", "Told", "plain", "told", "Plain",
      ])
    #expect(found.filter { !$0.isDocumented }.map(\.name) == ["grow", "two", "plain", "Plain"])
  }
}
