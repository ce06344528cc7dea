import Foundation
import Glibc
import Strongroom
import Testing

@Suite("Keys in memory")
struct MemoryTests {
  /// One piece of another process's memory.
  private struct Region {
    let range: Range<UInt>
    /// Whether a core file leaves it out.
    let isLeftOut: Bool
  }

  private func regions(_ process: Int32) throws -> [Region] {
    var result: [Region] = []
    var range: Range<UInt>?
    // Foundation's own reading of whole files stops early where the kernel tells no size.
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(process)/smaps"))
    var text = Data()
    while let more = try file.read(upToCount: 4096), !more.isEmpty { text += more }
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: " ")
      let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      if ends.count == 2, fields.count > 4 {
        range = fields[1].hasPrefix("rw") ? ends[0]..<ends[1] : nil
      } else if fields[0] == "VmFlags:", let own = range {
        result.append(Region(range: own, isLeftOut: fields.contains("dd")))
      }
    }
    return result
  }

  /// How often bytes are in the memory that a core file would hold, and in what it would leave out.
  private func occurrences(_ process: Int32, _ wanted: [Data]) throws -> (dumped: Int, leftOut: Int) {
    let memory = open("/proc/\(process)/mem", O_RDONLY)
    try #require(memory >= 0)
    defer { close(memory) }
    var (dumped, leftOut) = (0, 0)
    for region in try regions(process) {
      var bytes = Data(count: region.range.count)
      let got = bytes.withUnsafeMutableBytes {
        pread(memory, $0.baseAddress, $0.count, off_t(region.range.lowerBound))
      }
      guard got > 0 else { continue }
      for one in wanted {
        var place = bytes.startIndex
        while let found = bytes.range(of: one, in: place..<bytes.endIndex) {
          if region.isLeftOut { leftOut += 1 } else { dumped += 1 }
          place = found.upperBound
        }
      }
    }
    return (dumped, leftOut)
  }

  // A sanitizer maps terabytes of its own, which this would read.
  @Test(
    "none in a core file once the store is closed; while it is open only SQLCipher's own",
    .disabled(if: ProcessInfo.processInfo.environment["SANITIZER"] != nil))
  func copies() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "strongroom-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let model = try ManagedObjectModel {
      Entity("Batch") {
        Attribute("number", .integer64)
        Relationship("notes", toMany: "Note", inverse: "batch", deleteRule: .cascade)
      }
      Entity("Note") {
        Attribute("text", .string)
        Relationship("batch", to: "Batch", inverse: "notes")
      }
    }
    let url = folder.appendingPathComponent("store")
    let vault = KeyFileVault(url: folder.appendingPathComponent("first.keys"))
    let container = PersistentContainer(
      managedObjectModel: model, description: PersistentStoreDescription(url: url, vault: vault))
    try await container.loadPersistentStores()
    try container.close()
    let code = try await SQLCipherStore.recoveryCode(of: PersistentStoreDescription(url: url, vault: vault))
    let wanted = [code.key.withUnsafeBytes { Data($0) }, code.key.withHexText { Data($0) }]

    let worker = Process()
    worker.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("torture-probe")
    worker.arguments = ["hold", folder.path]
    let (input, output) = (Pipe(), Pipe())
    worker.standardInput = input
    worker.standardOutput = output
    try worker.run()
    func next() -> String {
      String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).trimmingCharacters(
        in: .newlines)
    }
    try #require(next() == "open")
    let open = try occurrences(worker.processIdentifier, wanted)
    // Ours are there and left out; SQLCipher keeps the key and its text.
    #expect(open.leftOut > 0 && open.dumped > 0 && open.dumped <= 4, "\(open)")
    try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    try #require(next() == "closed")
    let closed = try occurrences(worker.processIdentifier, wanted)
    #expect(closed.dumped == 0, "\(closed)")
    try input.fileHandleForWriting.close()
    worker.waitUntilExit()
  }
}
