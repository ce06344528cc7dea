import BuiltProgram
import Foundation
import Testing

@Suite("Addresses of servers on the command line")
struct ServerAddressTextTests {
  @Test(
    "no message has a piece of a password, however it is written",
    arguments: [
      "postgresql://ada:s3c?r3t@host.invalid/x", "postgresql://ada:s3c@r3t@host.invalid/x",
      "postgres://ada:s3c/r3t@host.invalid/x", "postgresql://ada:s3c%3Fr3t@host.invalid/x?options=a@b",
      "postgresql:///x?host=/nowhere&password=s3cr3t&sslpassword=r3t",
      "postgresql:///x?host=/nowhere&%70assword=s3c@r3t",
      "postgresql://ada:r3t@host.invalid/x?password=p@s3c",
    ])
  func redacted(place: String) async throws {
    let shelf = try await Shelf()
    let commands = [
      ["info", place], ["info", place, place], ["query", place, "Book", "surplus"],
      ["compare", place, place],
      ["move", place, shelf.file("new")], ["import", shelf.file("new"), place], ["model", "check", place],
      ["verify-import", shelf.store, place], ["encrypt", place, shelf.file("new")], ["info", "--x=\(place)"],
      ["model", "generate", place, "--embed"], ["model", "mapping", place], ["compact", place], [place],
    ]
    for command in commands {
      let result = try BuiltProgram.run(command, hasTerminal: false)
      #expect(result.code != 0, "\(command) \(result)")
      #expect(!result.output.contains("s3c") && !result.output.contains("r3t"), "\(command) \(result)")
    }
  }

  @Test("control characters of an address are printed as escapes")
  func harmless() throws {
    let result = try BuiltProgram.run(["info", "surplus", "postgresql://a\u{1b}[31m\u{7}@host.invalid/x"])
    #expect(result.code != 0 && result.output.contains("//a\\u{1b}[31m\\u{7}@host.invalid"), "\(result)")
    #expect(!result.output.contains("\u{1b}") && !result.output.contains("\u{7}"), "\(result)")
  }

  @Test("a password of one letter leaves messages and the help as they are, which is standard output's")
  func letter() throws {
    let place = "postgresql://ada:e@host.invalid/x"
    let result = try BuiltProgram.run(["compact", place])
    #expect(result.code == 64 && result.output.contains("a file and no server"), "\(result)")
    let surplus = try BuiltProgram.run(["info", place, place])
    #expect(surplus.output.contains("postgresql://ada:…@host.invalid/x"), "\(surplus)")
    let (process, output) = (Process(), Pipe())
    process.executableURL = BuiltProgram.url()
    process.arguments = ["info", place, "--help"]
    (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
    try process.run()
    let help = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(try process.terminationStatus == 0 && help == BuiltProgram.run(["info", "--help"]).output)
  }
}
