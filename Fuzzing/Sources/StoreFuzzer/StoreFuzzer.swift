import AppleStore
import Foundation
import Strongroom
import Synchronization

/// What libFuzzer calls with each input it makes up.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  if let bytes { StoreFuzzer.drive(Data(bytes: bytes, count: count)) }
  return 0
}

/// What libFuzzer makes up, as patches of a whole store of Core Data's, which is then imported.
///
/// A patch is an offset of three bytes, a length of one, and that many bytes. What is imported must
/// open and verify; what is refused must leave nothing.
enum StoreFuzzer {
  private static let longestPatch = 48
  /// The store that is patched: the environment's, so that the fuzzer has no path of its own.
  private static let original: Data = {
    guard let path = ProcessInfo.processInfo.environment["FUZZ_STORE"],
      let data = FileManager.default.contents(atPath: path)
    else { fatalError("FUZZ_STORE must name a store of Core Data's") }
    return data
  }()
  private static let folder: URL = {
    let folder = URL(fileURLWithPath: "/dev/shm/strongroom-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }()

  static func drive(_ patches: Data) {
    let (source, target) = (folder.appendingPathComponent("s.sqlite"), folder.appendingPathComponent("t"))
    try? patched(patches).write(to: source)
    let done = DispatchSemaphore(value: 0)
    let failure = Mutex<String?>(nil)
    Task.detached {
      let reason = await run(source, target)
      failure.withLock { $0 = reason }
      done.signal()
    }
    done.wait()
    if let reason = failure.withLock({ $0 }) { fatalError(reason) }
  }

  private static func patched(_ patches: Data) -> Data {
    var store = original
    var rest = patches[...]
    while rest.count >= 4 {
      let head = Array(rest.prefix(4))
      rest = rest.dropFirst(4)
      let bytes = rest.prefix(min(Int(head[3]), longestPatch))
      rest = rest.dropFirst(bytes.count)
      let offset = (Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])) % store.count
      let end = min(store.count, offset + bytes.count)
      store.replaceSubrange(offset..<end, with: bytes.prefix(end - offset))
    }
    return store
  }

  /// What is wrong; nil where all is as it should be.
  private static func run(_ source: URL, _ target: URL) async -> String? {
    for suffix in ["", "-wal", "-shm"] { unlink(target.path + suffix) }
    var description = PersistentStoreDescription(type: SQLCipherStore.storeType, url: target)
    description.storeKey = StoreKey()
    do {
      let store = try AppleStore(url: source)
      _ = try await store.importStore(into: description)
      _ = try await store.comparison(with: description)
      let issues = try await SQLCipherStore.verify(description)
      let others = issues.filter { $0.kind != .missingValue }
      return others.isEmpty ? nil : "an imported store has findings: \(others[0].kind)"
    } catch {
      let left = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return left.contains { $0.hasPrefix("t.") } ? "a refused store left something" : nil
    }
  }
}
