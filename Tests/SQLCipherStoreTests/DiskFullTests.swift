import Foundation
import Glibc
import ObjectModel
import ObjectQuery
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

/// A small file system; mounting one is the superuser's right, and not everywhere even his.
private enum SmallDisk {
  static let canMount: Bool = {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("strongroom-mount-\(getpid())")
      .path
    mkdir(place, 0o700)
    defer { rmdir(place) }
    guard mount("tmpfs", place, "tmpfs", 0, "size=1m") == 0 else { return false }
    umount2(place, 2)
    return true
  }()
}

@Suite("A full disk", .enabled(if: getuid() == 0 && SmallDisk.canMount))
struct DiskFullTests {
  @Test("fails the save with a typed error, and what was saved before stays")
  func full() async throws {
    let scratch = try Scratch()
    #expect(mount("tmpfs", scratch.folder.path, "tmpfs", 0, "size=1m") == 0)
    defer { umount2(scratch.folder.path, 2) }
    let vault = InMemoryVault()
    let description = PersistentStoreDescription(url: scratch.store, vault: vault)
    let store = try SQLCipherStore(model: try OpeningTests.model(), description: description)
    try await store.loadMetadata()
    func insert(_ size: Int) throws {
      let id = try store.obtainPermanentIDs(for: [store.storeEntities[0].entity])[0]
      let builder = NodeBuilder()
      builder.begin(fieldCount: 1)
      try builder.set(id.entity.attributes[0], .string(String(repeating: "x", count: size)))
      var save = SaveChangesRequest()
      save.inserted = [builder.finish(id.storeEntity, reference: id.reference, version: 1)]
      _ = try store.execute(save, lookup: nil)
    }
    try insert(10_000)
    try store.checkpoint()
    let before = try Data(contentsOf: scratch.store)
    #expect { try insert(3_000_000) } throws: { ($0 as? StoreError)?.code == .diskFull }
    #expect(try Data(contentsOf: scratch.store) == before)
    try insert(5_000)
    try store.close()
    let again = try SQLCipherStore(model: try OpeningTests.model(), description: description)
    try await again.loadMetadata()
    var request = FetchRequest("Note")
    request.resultType = .count
    guard case .count(let count) = try again.execute(request, lookup: nil) else { return }
    #expect(count == 2)
  }
}
