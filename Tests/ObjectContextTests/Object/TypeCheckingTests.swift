import Foundation
import Testing

@Suite("The compiler")
struct TypeCheckingTests {
  /// Twelve clauses of every kind, as a program has them.
  private static let source = """
    import Foundation
    import Strongroom
    final class Book: ManagedObject {
      var pages: Int { 0 }
      var title: String { "" }
      var price: Double? { nil }
      var isLent: Bool { false }
      var bought: Date? { nil }
      var author: Author? { nil }
      var tags: [Author] { [] }
    }
    final class Author: ManagedObject {
      var name: String? { nil }
      var born: Int { 0 }
    }
    func all(_ context: ManagedObjectContext, _ day: Date) throws -> [Book] {
      try context.fetch(Book.self) {
        $0.pages > 300 && $0.pages <= 900 && $0.title != "x" && $0.author.name.contains("x", .caseInsensitive)
          && ($0.price > 3.5 || $0.price == nil) && !$0.isLent && $0.bought < day && $0.author.born \
    * 2 + 1 > 3600
          && $0.tags.any { $0.name == "a" && $0.born != 0 } && $0.title.isIn(["a", "b", "c"]) && \
    ($0.price ?? 0) < 100
          && $0.tags.count > 2
      }
    }
    """

  @Test("checks a closure of twelve clauses in less than a second")
  func twelve() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("types-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("main.swift")
    try Self.source.write(to: file, atomically: true, encoding: .utf8)
    let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let sources = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Sources").standardized
    let modules =
      [products.appendingPathComponent("Modules")]
      + ["CSQLCipher", "CLibCrypto", "CLibSecret", "CGLib", "CLinux"].map {
        sources.appendingPathComponent($0)
      }
    process.arguments =
      [
        "sh", "-c",
        "exec swiftc \"$@\" $(pkg-config --cflags-only-I sqlcipher libsecret-1 glib-2.0 | sed"
          + " 's/-I/-Xcc -I/g')",
        "sh",
      ]
      + [
        "-typecheck", "-swift-version", "6", "-Xfrontend", "-warn-long-expression-type-checking=1", file.path,
      ]
      + modules.flatMap { ["-I", $0.path] }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    // "expression took 35ms to type-check (limit: 1ms)"
    let times = text.split(separator: "expression took ").dropFirst().compactMap {
      Int($0.prefix { $0.isNumber })
    }
    let slowest = try #require(times.max(), "\(text)")
    print("the slowest expression took \(slowest) ms to check")
    #expect(slowest < 1000)
  }
}
