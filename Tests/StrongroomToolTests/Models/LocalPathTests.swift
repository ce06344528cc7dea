import BuiltProgram
import Foundation
import Testing

@Suite("Paths on the command line")
struct LocalPathTests {
  @Test("are no addresses, whose passwords would be in the names of files")
  func addresses() async throws {
    let shelf = try await Shelf()
    let addresses = [
      "Postgresql://u:geheim@h/db", " postgresql://u:geheim@h/db", "postgresql:/u:geheim@h/db",
      "mysql://u:geheim@h/db", "jdbc:postgresql://u:geheim@h/db", "user=u password=geheim host=h",
    ]
    let commands: [(String) -> [String]] = [
      { ["info", $0] }, { ["move", shelf.store, $0] }, { ["decrypt", shelf.store, $0, "--yes"] },
      { ["export", shelf.store, $0, "--yes"] }, { ["backup", shelf.store, $0] },
    ]
    for address in addresses {
      for command in commands {
        let result = try BuiltProgram.run(command(address) + shelf.vault)
        #expect(result.code == 64 && result.output.contains("begins with postgresql://"), "\(result)")
        #expect(!result.output.contains("geheim"), "\(result)")
      }
    }
    for command in commands.dropFirst(2) {
      let result = try BuiltProgram.run(command("postgresql://u:geheim@h/db") + shelf.vault)
      #expect(result.code == 64 && !result.output.contains("geheim"), "\(result)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: ".")
    #expect(!names.contains { $0.contains("postgres") || $0.contains("mysql") })
  }

  @Test("may have names that look so, behind ./")
  func names() async throws {
    let shelf = try await Shelf()
    for name in ["./host=1", "/tmp/a password=x", "./mysql:/x"] {
      let result = try BuiltProgram.run(["info", name] + shelf.vault)
      #expect(result.code == 1 && result.output.contains("fileMissing"), "\(result)")
    }
  }

  @Test("what could not be printed is an error")
  func full() async throws {
    let shelf = try await Shelf()
    let result = try BuiltProgram.run(["info", shelf.store] + shelf.vault, to: "/dev/full")
    #expect(result.code == 1 && result.output.contains("could not be written"), "\(result)")
  }
}
