import CLinux
import Foundation
import Glibc
import StoreContract
import Strongroom
import StrongroomPostgres

/// What one store, or the place for one, needs.
struct StoreFindings {
  let arguments: StoreArguments

  func all() async -> [Finding] {
    guard ServerAddressText(arguments.store) == nil else { return [await opening()] }
    let url = URL(fileURLWithPath: arguments.store)
    let folder = url.deletingLastPathComponent().path
    return [Self.disk(folder), Self.fileSystem(folder), await opening()].compactMap(\.self)
  }

  /// Saves, copies and the log need room.
  private static let leastRoom: UInt64 = 100 << 20

  /// - `folder`: Where a store is, or is to be.
  static func disk(_ folder: String) -> Finding {
    var disk = statvfs()
    guard statvfs(folder, &disk) == 0 else {
      return Finding(
        "disk", .bad, "\(folder): \(String(cString: strerror(errno)))",
        advice: "make the folder, or name another")
    }
    let room = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
    let bytes = ByteCountFormatter.string(fromByteCount: Int64(clamping: room), countStyle: .file)
    let found = "\(folder): \(bytes) free"
    if disk.f_flag & UInt(ST_RDONLY) != 0 || access(folder, W_OK) != 0 {
      return Finding(
        "disk", .note, "\(found), not writable",
        advice: "stores there are read only; for saves, make the folder and the file writable for this user")
    }
    if room < leastRoom { return Finding("disk", .bad, found, advice: "make room: saves need it") }
    return Finding("disk", found)
  }

  /// The numbers of statfs(2).
  private static let networks: [Int64: String] = [
    0x6969: "NFS", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB", 0x6573_5546: "FUSE",
  ]

  /// A note for a file system whose locks may not reach all machines; nil for others.
  private static func fileSystem(_ folder: String) -> Finding? {
    guard let name = networks[fileSystemOfPath(folder)] else { return nil }
    return Finding(
      "file system", .note, name,
      advice: "keep a store on a disk of this machine: locks of a network's file system may not hold; many"
        + " machines share a store on PostgreSQL")
  }

  private func opening() async -> Finding {
    do {
      let (container, store) = try await arguments.open()
      defer { try? container.close() }
      let key = arguments.keys.vaultNames.isEmpty ? "" : " with the key of \(vaults)"
      return Finding("store", "opens\(key), \(try Self.count(store)) objects")
    } catch {
      let text = ServerAddressText.redacted("\(error)", [arguments.store])
      return Finding("store", .bad, "does not open", advice: text)
    }
  }

  private var vaults: String { arguments.keys.vaultNames.map(\.argument).joined(separator: ", ") }

  private static func count(_ store: any IncrementalStore) throws -> Int {
    switch store {
    case let store as SQLCipherStore: try store.summary().objectCounts.reduce(0) { $0 + $1.count }
    case let store as PostgresStore: try store.summary().objectCounts.reduce(0) { $0 + $1.count }
    default: throw ToolFailure.otherStore
    }
  }
}
