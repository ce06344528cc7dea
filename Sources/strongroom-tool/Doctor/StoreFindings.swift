import CLinux
import Foundation
import Glibc
import StoreContract
import Strongroom
import StrongroomPostgres

/// What one store, or the place for one, needs.
struct StoreFindings {
  let arguments: StoreArguments

  /// Tells each when it is known.
  func all(_ tell: (Finding) -> Void) async {
    // What looks like an address has no disk, and may have a password.
    if ServerAddressText(arguments.store) == nil, (try? LocalPath.check(arguments.store)) != nil {
      let folder = URL(fileURLWithPath: Self.destination(arguments.store)).deletingLastPathComponent().path
      tell(Self.disk(folder))
      if let finding = Self.fileSystem(folder) { tell(finding) }
    }
    tell(await opening())
  }

  /// Where a path leads, also where nothing is there.
  private static func destination(_ path: String) -> String {
    var path = path
    // As many links as the kernel follows.
    for _ in 0..<40 {
      guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      path = URL(fileURLWithPath: next, relativeTo: folder).path
    }
    return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  /// Saves, copies and the log need room: with less some fail, and with next to none all.
  private static let (muchRoom, leastRoom): (UInt64, UInt64) = (100 << 20, 1 << 20)

  /// - `folder`: Where a store is, or is to be.
  static func disk(_ folder: String) -> Finding {
    var disk = statvfs()
    guard statvfs(folder, &disk) == 0 else {
      return Finding(
        "disk", .bad, "\(folder): \(String(cString: strerror(errno)))",
        advice: "make the folder, or name another")
    }
    // A tmpfs without a limit counts no blocks.
    let room = disk.f_blocks == 0 ? .max : UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
    let found = "\(folder): \(disk.f_blocks == 0 ? "without a limit" : "\(Self.bytes(room)) free")"
    if disk.f_flag & UInt(ST_RDONLY) != 0 {
      return Finding(
        "disk", .note, "\(found), mounted for reading only", advice: "stores there can be read alone")
    }
    if access(folder, W_OK) != 0 {
      return Finding(
        "disk", .note, "\(found), not writable for this user",
        advice: "make the folder writable, or copy the store to one that is: its log is made beside it")
    }
    // File systems that make them as needed count none at all.
    if disk.f_files > 0, disk.f_favail == 0 {
      return Finding(
        "disk", .bad, "\(found), and no inodes", advice: "delete files: a store makes some beside it")
    }
    if room < muchRoom {
      return Finding(
        "disk", room < leastRoom ? .bad : .note, found, advice: "make room: saves and copies need it")
    }
    return Finding("disk", found)
  }

  private static func bytes(_ count: UInt64) -> String {
    let formatter = ByteCountFormatter()
    formatter.countStyle = .file
    formatter.allowsNonnumericFormatting = false
    return formatter.string(fromByteCount: Int64(clamping: count))
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
      let found = "opens\(key), \(try Self.count(store).counted("object"))"
      if (store as? SQLCipherStore)?.isReadOnly == true {
        return Finding(
          "store", .note, "\(found), for reading only",
          advice: "for saves, make the file and its folder writable for this user")
      }
      if let denial = try (store as? PostgresStore)?.savingDenial() {
        return Finding(
          "store", .note, "\(found), for reading only", advice: "for saves, \(denial)")
      }
      return Finding("store", found)
    } catch {
      let text = ServerAddressText.redacted("\(error)", [arguments.store])
      return Finding("store", .bad, "does not open", advice: text)
    }
  }

  /// Whose key it is, where only one vault can have it.
  private var key: String {
    let names = arguments.keys.vaultNames
    guard names.count == 1, ServerAddressText(arguments.store) == nil else { return "" }
    return " with the key of \(names[0].argument)"
  }

  private static func count(_ store: any IncrementalStore) throws -> Int {
    switch store {
    case let store as SQLCipherStore: try store.summary().objectCounts.reduce(0) { $0 + $1.count }
    case let store as PostgresStore: try store.summary().objectCounts.reduce(0) { $0 + $1.count }
    default: throw ToolFailure.otherStore
    }
  }
}
