import BuiltProgram
import Foundation
import Glibc
import Strongroom
import Testing

/// What a person sees and does, in Debian's Chromium, where it is installed: `Scripts/test-inspect` does so.
@Suite("The page of a store in a browser", .enabled(if: access("/usr/bin/chromium", X_OK) == 0))
struct InspectPageTests {
  @Test("shows, filters, follows and edits what is in the store")
  func browser() async throws {
    let shelf = try await InspectShelf()
    let support = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Support/browser").standardized
    let environment = ProcessInfo.processInfo.environment
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-B", "-m", "unittest", "-v", "test_inspect"]
    process.currentDirectoryURL = support
    process.environment = environment.merging([
      "STRONGROOM_TOOL": BuiltProgram.url().path, "STRONGROOM_FOLDER": shelf.folder.path,
      "STRONGROOM_PICTURES": environment["STRONGROOM_PICTURES"] ?? shelf.folder.path,
    ]) { $1 }
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
  }
}
