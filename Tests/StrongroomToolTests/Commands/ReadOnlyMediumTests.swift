import BuiltProgram
import Foundation
import Glibc
import Strongroom
import Testing

/// Needs root, for mounting.
@Suite("A store on a medium for reading only", .serialized, .enabled(if: geteuid() == 0))
struct ReadOnlyMediumTests {
  private func mount(_ arguments: String...) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test("can be queried, inspected, exported and forecast, but not migrated")
  func commands() async throws {
    let shelf = try await Shelf()
    let folder = shelf.file("medium")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try #require(try mount("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder))
    defer { _ = try? mount("umount", "-l", folder) }
    let store = folder + "/s"
    try FileManager.default.copyItem(atPath: shelf.store, toPath: store)
    try #require(try mount("mount", "-o", "remount,ro", folder))

    var model = try Shelf.model().declaration
    model.entities[0].attributes.removeAll { $0.name == "price" }
    let next = shelf.file("next.json")
    try ManagedObjectModel(model).jsonData().write(to: URL(fileURLWithPath: next))
    for command in [
      ["query", store, "Book"], ["info", store], ["schema", store],
      ["export", store, shelf.file("out"), "--yes"],
      ["migrate", store, next, "--dry-run", "--allow-loss"],
    ] {
      let (code, output) = try BuiltProgram.run(command + shelf.vault)
      #expect(code == 0, "\(command): \(output)")
    }
    let (code, output) = try BuiltProgram.run(["migrate", store, next, "--allow-loss"] + shelf.vault)
    #expect(code == 1 && output.contains("notWritable"), "\(output)")
  }
}
