import BuiltProgram
import Foundation
import Testing

@Suite("What the tool's doctor finds")
struct DoctorCommandTests {
  private func findings(_ text: String) throws -> [String: [String: String]] {
    let rows = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: String]])
    return Dictionary(uniqueKeysWithValues: rows.map { ($0["what"] ?? "", $0) })
  }

  @Test("a store that opens, with the libraries, the bus, the keyring and the disk")
  func healthy() async throws {
    let shelf = try await Shelf()
    let result = try shelf.run("doctor", options: ["--format", "json"])
    #expect(result.code == 0, "\(result.output)")
    let found = try findings(result.output)
    #expect(
      Set(found.keys).isSuperset(
        of: ["SQLCipher", "libpq", "session bus", "keyring", "clock", "disk", "store"]))
    #expect(found["store"]?["found"]?.hasSuffix(", 3 objects") == true)
    for what in ["SQLCipher", "clock", "disk", "store"] { #expect(found[what]?["state"] == "ok", "\(what)") }
    #expect(found["keyring"]?["found"]?.hasPrefix("gnome-keyring") == true)
  }

  @Test("a session without a bus, which is bad for the keyring alone")
  func noBus() async throws {
    let shelf = try await Shelf()
    let environment: [String: String?] = [
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(shelf.file("no bus"))", "XDG_RUNTIME_DIR": nil,
    ]
    let alone = try BuiltProgram.run(["doctor"], environment: environment)
    #expect(alone.code == 1)
    #expect(alone.output.contains("bad   keyring"), "\(alone.output)")
    #expect(alone.output.contains("--vault file:PATH"))
    let named = try BuiltProgram.run(["doctor", shelf.store] + shelf.vault, environment: environment)
    #expect(named.code == 0, "\(named.output)")
    #expect(named.output.contains("note  keyring"))
  }

  @Test("a store whose key is missing, and a folder that is")
  func missing() async throws {
    let shelf = try await Shelf()
    let other = ["--vault", "file:\(shelf.file("other"))"]
    let keyless = try BuiltProgram.run(["doctor", shelf.store] + other)
    #expect(keyless.code == 1)
    #expect(keyless.output.contains("bad   store"), "\(keyless.output)")
    #expect(keyless.output.contains("keyMissing"))
    let nowhere = try BuiltProgram.run(["doctor", shelf.file("no folder/s")] + other)
    #expect(nowhere.code == 1)
    #expect(nowhere.output.contains("bad   disk"), "\(nowhere.output)")
  }

  @Test("the disk where a link leads, and a bus that is not there")
  func places() async throws {
    let shelf = try await Shelf()
    let (link, file) = (shelf.file("link"), "/dev/shm/\(UUID()).store")
    try Data("no store".utf8).write(to: URL(fileURLWithPath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
    let linked = try BuiltProgram.run(
      ["doctor", "--format", "json", link, "--vault", "file:\(shelf.file("none"))"],
      environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"])
    let found = try findings(linked.output)
    #expect(found["disk"]?["found"]?.hasPrefix("/dev/shm:") == true, "\(linked.output)")
    #expect(found["session bus"]?["found"] == "none at /nowhere")
    #expect(found["session bus"]?["state"] == "note")
    // What to do stands beside the bus, once.
    #expect(found["keyring"]?["found"] == "none, since no session bus answers")
    #expect(found["keyring"]?["advice"] == "")
    try FileManager.default.removeItem(atPath: file)
    let dangling = try BuiltProgram.run(
      ["doctor", "--format", "json", link, "--vault", "file:\(shelf.file("none"))"])
    #expect(try findings(dangling.output)["disk"]?["found"]?.hasPrefix("/dev/shm:") == true, "\(dangling)")
  }

  @Test(
    "an address that is not one, whose password it does not show",
    arguments: [
      "PostgreSQL://u:SEKRET@127.0.0.1:1/db", "postgrsql:/u:SEKRET@h/db", "postgresql//u:SEKRET@h/db",
      " postgresql://u:SEKRET@h/db", "postgresql:u:SEKRET@h/db", "Postgres:u:SEKRET@h",
    ])
  func addresses(_ address: String) throws {
    let result = try BuiltProgram.run(["doctor", address])
    #expect(result.code == 1)
    #expect(!result.output.contains("SEKRET"), "\(result.output)")
    #expect(result.output.contains("postgresql://"))
  }

  @Test("a path that would have a terminal do something, on its own line")
  func harmless() throws {
    let result = try BuiltProgram.run(["doctor", "/nowhere/a\u{1b}[31m\nok    store        opens/s"])
    #expect(result.code == 1)
    #expect(!result.output.contains("\u{1b}") && !result.output.contains("\nok    store"), "\(result.output)")
  }

  @Test("a library that does not encrypt in SQLCipher's place")
  func plainLibrary() throws {
    let plain = ["/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", "/usr/lib/aarch64-linux-gnu/libsqlite3.so.0"]
    guard let library = plain.first(where: FileManager.default.fileExists) else { return }
    let result = try BuiltProgram.run(["doctor"], environment: ["LD_PRELOAD": library])
    #expect(result.code == 1)
    #expect(result.output.contains("bad   SQLCipher"), "\(result.output)")
  }
}
