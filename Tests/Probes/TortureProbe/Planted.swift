import Foundation
import Glibc
import Strongroom

/// Puts journals, logs and shared-memory files beside a store that are not its own: random, of
/// foreign pages, changed in some bytes, cut, and links; lets a process of its own open the store
/// each time; and looks whether it crashed or touched a file that is none of its business.
struct Planted {
  let count: Int
  private let folder = Playground(NSTemporaryDirectory() + "/strongroom-planted-\(getpid())")
  private var pristine: Playground { Playground(folder.folder.path + "/pristine") }
  private var trial: Playground { Playground(folder.folder.path + "/trial") }
  private var victim: URL { folder.folder.appendingPathComponent("victim") }
  private static let precious = Data("precious".utf8)

  init(count: Int) { self.count = count }

  func run(seed: UInt64) async throws -> Bool {
    defer { try? FileManager.default.removeItem(at: folder.folder) }
    let genuine = try await prepare()
    try Self.precious.write(to: victim)
    var generator = Seeded(state: seed)
    var isGood = true
    for suffix in ["-journal", "-wal", "-shm"] {
      var (opened, refused, bad) = (0, 0, 0)
      for number in 0..<count {
        try copyPristine(with: genuine, besides: suffix, &generator)
        try plant(suffix, genuine[suffix] ?? Data(), &generator)
        let outcome = try open()
        if outcome == "opened" { opened += 1 } else { refused += 1 }
        if outcome.isEmpty || (try? Data(contentsOf: victim)) != Self.precious || !strangers().isEmpty {
          bad += 1
          say("\(suffix) \(number): \(outcome.isEmpty ? "crashed" : outcome), \(strangers())\n")
        }
      }
      print("planted \(suffix): \(count), opened \(opened), refused \(refused), bad \(bad)")
      isGood = isGood && bad == 0
    }
    return isGood
  }

  /// - Returns: Files of each kind as SQLite makes them for this very store.
  private func prepare() async throws -> [String: Data] {
    try FileManager.default.createDirectory(at: pristine.folder, withIntermediateDirectories: true)
    var description = pristine.description()
    description.createsIfMissing = true
    description.keyVaults = [pristine.first]
    let container = PersistentContainer(managedObjectModel: try Playground.model(), description: description)
    try await container.loadPersistentStores()
    for number in 1...3 { try pristine.save(number, container.newContext()) }
    var genuine: [String: Data] = [:]
    for suffix in ["-wal", "-shm"] {
      genuine[suffix] = try Data(contentsOf: URL(fileURLWithPath: pristine.store.path + suffix))
    }
    try container.close()
    // A rollback journal of the whole file: a header, and each page with its number and checksum.
    let store = try Data(contentsOf: pristine.store)
    let pages = store.count / 4096
    var journal = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
    for number in [pages, 7, pages, 512, 4096] { journal += Self.big(number) }
    journal += Data(count: 512 - journal.count)
    for page in 0..<pages {
      let bytes = store[page * 4096..<page * 4096 + 4096]
      let sum = stride(from: 4096 - 200, to: 0, by: -200).reduce(7) {
        $0 &+ Int(bytes[bytes.startIndex + $1])
      }
      journal += Self.big(page + 1) + bytes + Self.big(sum)
    }
    genuine["-journal"] = journal
    return genuine
  }

  private static func big(_ number: Int) -> Data {
    withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Data($0) }
  }

  private func copyPristine(
    with genuine: [String: Data], besides suffix: String, _ generator: inout Seeded
  ) throws {
    try? FileManager.default.removeItem(at: trial.folder)
    try FileManager.default.copyItem(at: pristine.folder, to: trial.folder)
    // A genuine log beside a planted index of it, and sometimes beside a planted journal.
    if suffix == "-shm" || suffix == "-journal" && Bool.random(using: &generator) {
      try genuine["-wal"]?.write(to: URL(fileURLWithPath: trial.store.path + "-wal"))
    }
  }

  private func plant(_ suffix: String, _ genuine: Data, _ generator: inout Seeded) throws {
    let place = trial.store.path + suffix
    var data = genuine
    switch Int.random(in: 0..<8, using: &generator) {
    case 0:
      data = Data(
        (0..<Int.random(in: 0...70_000, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        })
    case 1:
      data = data.prefix(Int.random(in: 0...data.count, using: &generator))
    case 2:
      symlink(Bool.random(using: &generator) ? victim.path : folder.folder.path + "/nowhere", place)
      return
    case 3:
      link(victim.path, place)
      return
    case 4:
      // The header's numbers, each of another size.
      for offset in stride(from: 8, to: 28, by: 4) where Bool.random(using: &generator) && data.count >= 28 {
        data.replaceSubrange(
          offset..<offset + 4, with: Self.big(1 << Int.random(in: 0..<32, using: &generator)))
      }
    case 5:
      let name = Array(victim.path.utf8)
      data +=
        Self.big(1 << 18 + 1) + name + Self.big(name.count) + Self.big(name.reduce(0) { $0 + Int($1) })
        + [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    default:
      for _ in 0..<Int.random(in: 1...40, using: &generator) where !data.isEmpty {
        let first = Bool.random(using: &generator) ? min(64, data.count) : data.count
        data[Int.random(in: 0..<first, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
    }
    try data.write(to: URL(fileURLWithPath: place))
  }

  /// - Returns: What the process told; nothing when it crashed.
  private func open() throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["planted-open", trial.folder.path]
    process.standardError = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationReason == .exit else { return "" }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Files that nobody asked for.
  private func strangers() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.folder.path)) ?? []
    return names.filter { !["pristine", "trial", "victim"].contains($0) }
  }

  /// The process that opens, reads and writes.
  static func openOnce(_ playground: Playground) async {
    do {
      let container = try await playground.open()
      let context = container.newContext()
      _ = try context.fetch(FetchRequest("Note")).map { try $0.get("text", as: String.self) }
      try playground.save(4, context)
      try container.close()
      tell("opened")
    } catch {
      tell("refused \((error as? StoreError)?.code.description ?? "\(type(of: error))")")
    }
  }
}
