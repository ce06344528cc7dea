import BuiltProgram
import Foundation
import PostgresServer
import Strongroom
import StrongroomPostgres
import Testing

@Suite("The tool where a server takes no writes", .enabled(if: PostgresServer.programs != nil))
struct ServerReaderTests {
  private func reads(_ place: String, _ shelf: Shelf, _ copy: String) throws {
    let model = shelf.file("model.json")
    try Shelf.model().jsonData().write(to: URL(fileURLWithPath: model))
    let commands = [
      ["query", place, "Book"], ["info", place], ["schema", place], ["compare", shelf.store, place],
      ["export", place, shelf.file("folder of \(copy)"), "--yes"], ["history", "list", place, "--changes"],
      ["history", "consumers", place], ["model", "diagram", place], ["migrate", place, model, "--dry-run"],
      ["move", place, shelf.file(copy)], ["compare", shelf.file(copy), place],
    ]
    for command in commands {
      let result = try BuiltProgram.run(command + (command[0] == "model" ? [] : shelf.vault))
      #expect(result.code == 0, "\(command) \(result)")
    }
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = BuiltProgram.url()
    process.arguments = ["shell", place]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data("Book | count\n".utf8))
    try input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0 && text.contains("2"), "\(text)")
    let purge = try BuiltProgram.run(["history", "purge", place, "--all"])
    #expect(purge.code == 1, "\(purge)")
  }

  @Test("what reads does so for a user that may only read, and a move without its consumers makes nothing")
  func role() async throws {
    let (shelf, server) = (try await Shelf(), try PostgresServer.shared())
    let schema = server.newSchema()
    let moved = try BuiltProgram.run(["move", shelf.store, server.address(of: schema)] + shelf.vault)
    #expect(moved.code == 0 && moved.output.contains("the source is unchanged"), "\(moved)")
    try server.execute(
      """
      CREATE ROLE onlooker LOGIN; GRANT USAGE ON SCHEMA "\(schema)" TO onlooker;
      GRANT SELECT ON ALL TABLES IN SCHEMA "\(schema)" TO onlooker
      """)
    let place = try server.address(of: schema, user: "onlooker")
    try reads(place, shelf, "copy")
    let doctor = try BuiltProgram.run(["doctor", place] + shelf.vault)
    #expect(doctor.code == 0 && doctor.output.contains("note  store"), "\(doctor)")
    #expect(doctor.output.contains("grant this user SELECT, INSERT"), "\(doctor)")
    let owner = try BuiltProgram.run(["doctor", server.address(of: schema)] + shelf.vault)
    #expect(owner.output.contains("ok    store"), "\(owner)")
    try server.execute("REVOKE SELECT ON \"\(schema)\"._consumer FROM onlooker")
    let refused = try BuiltProgram.run(["move", place, shelf.file("none")] + shelf.vault)
    #expect(try refused.code == 1 && !shelf.names.contains("none"), "\(refused)")
  }

  @Test("a schema without a store, whose name is to be checked")
  func missing() async throws {
    let (shelf, server) = (try await Shelf(), try PostgresServer.shared())
    let result = try BuiltProgram.run(["doctor", server.address(of: server.newSchema())] + shelf.vault)
    #expect(result.code == 1 && result.output.contains("check the schema's name"), "\(result)")
  }

  @Test("what reads does so on a standby")
  func standby() async throws {
    let (shelf, pair) = (try await Shelf(), try PostgresPair())
    let moved = try BuiltProgram.run(["move", shelf.store, pair.primary.address(of: "books")] + shelf.vault)
    #expect(moved.code == 0, "\(moved)")
    try pair.awaitStandby()
    try reads(try pair.standby.address(of: "books"), shelf, "copy")
    let doctor = try BuiltProgram.run(["doctor", pair.standby.address(of: "books")] + shelf.vault)
    #expect(doctor.code == 0 && doctor.output.contains("name the primary server"), "\(doctor)")
  }
}
