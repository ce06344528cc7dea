import BuiltProgram
import Foundation
import Glibc
import Strongroom
import Testing

@Suite("Exports leave nothing readable lying about")
struct ExportSafetyTests {
  private func export(_ shelf: Shelf, _ folder: String) throws -> (code: Int32, output: String) {
    try BuiltProgram.run(["export", shelf.store, folder, "--yes"] + shelf.vault)
  }

  @Test("what is in the way is named and left alone", arguments: ["folder", "link", "file"])
  func planted(_ kind: String) async throws {
    let shelf = try await Shelf()
    let (out, unfinished) = (shelf.file("out"), shelf.file("out.unfinished"))
    let treasure = shelf.file("elsewhere")
    try FileManager.default.createDirectory(atPath: treasure, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: treasure + "/note"))
    switch kind {
    case "folder": try FileManager.default.moveItem(atPath: treasure, toPath: unfinished)
    case "link": try #require(symlink(treasure, unfinished) == 0)
    default: try Data("mine".utf8).write(to: URL(fileURLWithPath: unfinished))
    }
    let before = try shelf.names
    let result = try export(shelf, out)
    #expect(result.code == 1 && result.output.contains(unfinished), "\(result)")
    #expect(try shelf.names == before)
    let inside = kind == "folder" ? unfinished : treasure
    #expect(try FileManager.default.contentsOfDirectory(atPath: inside) == ["note"])
    if kind == "file" { #expect(try Data(contentsOf: URL(fileURLWithPath: unfinished)) == Data("mine".utf8)) }
    // A link where the folder is to be, to nothing, is in the way as well.
    _ = try? FileManager.default.removeItem(atPath: unfinished)
    try #require(symlink(shelf.file("nothing"), out) == 0)
    #expect(try export(shelf, out).code != 0)
    #expect(try !shelf.names.contains("nothing") && !shelf.names.contains("out.unfinished"))
  }

  @Test("every file is its owner's alone, whatever the mask, and a slash at the end does not matter")
  func modes() async throws {
    let shelf = try await Shelf()
    let out = shelf.file("deep/er/out")
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments =
      ["-c", "umask 000; exec \"$@\" >/dev/null", "sh", BuiltProgram.url().path]
      + ["export", shelf.store, out + "/", "--yes"] + shelf.vault
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: out).sorted()
    #expect(names == ["Author.json", "Book.json", "model.json"])
    for name in names { #expect(try Shelf.mode("\(out)/\(name)") == 0o600, "\(name)") }
    for folder in ["deep", "deep/er", "deep/er/out"] {
      #expect(try Shelf.mode(shelf.file(folder)) == 0o700, "\(folder)")
    }
  }

  @Test("an export that is stopped leaves nothing", arguments: [SIGINT, SIGTERM, SIGHUP])
  func stopped(_ number: Int32) async throws {
    let shelf = try await Shelf(books: 20000)
    let unfinished = shelf.file("out.unfinished")
    var isStopped = false
    // On a busy machine it may be done before it is stopped.
    for _ in 0..<10 where !isStopped {
      let process = Process()
      process.executableURL = BuiltProgram.url()
      process.arguments = ["export", shelf.store, shelf.file("out"), "--yes"] + shelf.vault
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      while process.isRunning, access(unfinished + "/Book.json", F_OK) != 0 { usleep(1000) }
      kill(process.processIdentifier, number)
      process.waitUntilExit()
      isStopped = process.terminationStatus != 0
      #expect(access(shelf.file("out"), F_OK) != 0 || !isStopped)
      #expect(access(unfinished, F_OK) != 0)
      try? FileManager.default.removeItem(atPath: shelf.file("out"))
    }
    #expect(isStopped)
  }

  @Test("without a terminal the question names its flag")
  func noTerminal() async throws {
    let shelf = try await Shelf()
    for arguments in [
      ["export", shelf.store, shelf.file("out")], ["decrypt", shelf.store, shelf.file("out")],
    ] {
      let result = try BuiltProgram.run(arguments + shelf.vault, hasTerminal: false)
      #expect(result.code == 1 && result.output.contains("--yes"), "\(result)")
      #expect(!result.output.contains("secret") && !result.output.contains("Usage"), "\(result)")
    }
    let secret = try BuiltProgram.run(["info", shelf.store, "--vault", "passphrase"], hasTerminal: false)
    #expect(secret.code == 1)
    try await SQLCipherStore.copyKey(
      of: shelf.description,
      to: [
        PassphraseVault(
          beside: URL(fileURLWithPath: shelf.store),
          cost: PassphraseCost(rounds: 16, blockSize: 1, parallelism: 1)
        ) { Array("p".utf8).withUnsafeBytes { SecretBytes($0) } }
      ])
    let asked = try BuiltProgram.run(["info", shelf.store, "--vault", "passphrase"], hasTerminal: false)
    #expect(asked.code == 1 && asked.output.contains("--passphrase-file"), "\(asked)")
    let code = try BuiltProgram.run(["key", "recovery", "verify", shelf.store], hasTerminal: false)
    #expect(code.code == 1 && code.output.contains("--file"), "\(code)")
  }
}
