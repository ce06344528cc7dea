import AppleStore
import Foundation
import Strongroom
import Synchronization
import Testing

@Suite("A store of Core Data's made into an encrypted one")
struct ImportTests {
  @Test("has every object under its key, with values, links, orders and external files")
  func everything() async throws {
    let place = try Place()
    let source = try AppleStore(url: place.copy("made"))
    #expect(source.layoutFaults.isEmpty && source.metadata.frameworkVersion == 1344)
    let before = try place.fingerprint()
    let faults = Mutex<[AppleStoreFault]>([])
    let summary = try await source.importStore(into: place.description) { fault in
      faults.withLock { $0.append(fault) }
    }
    #expect(faults.withLock { $0 }.isEmpty && summary.faultCount == 0)
    #expect(summary.objects["Account"] == 5 && summary.objectCount == 40 && summary.droppedHistoryCount == 2)
    let after = try place.fingerprint().filter { !$0.key.hasPrefix("new.") }
    #expect(after == before)

    let container = try await place.open()
    let context = container.newContext()
    let folder = try #require(try object("Folder", 2, context))
    #expect(try keys(folder, "favorites") == [5, 6, 4] && keys(folder, "tags") == [2, 3, 4])
    #expect(try keys(folder, "peers").sorted() == [3, 4, 5])
    #expect(try folder.objects("children").map(\.objectID.reference) == [7])
    let account = try #require(try object("Account", 1, context))
    #expect(try account.get("exact", as: Double.self) == 1 && account.get("small", as: Int.self) == 32767)
    #expect(try account.value(forKey: "moment") == .date(Date(timeIntervalSinceReferenceDate: -978307200.5)))
    #expect(try account.value(forKey: "scan") == .data(Data([1])), "in a file of its own")
    guard case .composite(let home) = try account.value(forKey: "home") else {
      throw CocoaError(.featureUnsupported)
    }
    #expect(home["longitude"] == .double(-1.5) && home["latitude"] == nil)
    #expect(try account.get("facts", as: [String: String].self) == [:], "archived, and JSON now")
    #expect(try account.object("pass") != nil)
    try container.close()
    #expect(try await SQLCipherStore.verify(place.description).isEmpty)
  }

  private func object(_ entity: String, _ key: Int64, _ context: ManagedObjectContext) throws
    -> ManagedObject?
  {
    try context.fetch(FetchRequest(entity)).first { $0.objectID.reference == key }
  }

  private func keys(_ object: ManagedObject, _ name: String) throws -> [Int64] {
    try object.objects(name).map(\.objectID.reference)
  }

  @Test("has all but the faults of a faulty one, and each fault is reported")
  func faulty() async throws {
    let place = try Place()
    let source = try AppleStore(url: place.copy("faulty"))
    let faults = Mutex<[AppleStoreFault]>([])
    let summary = try await source.importStore(into: place.description) { fault in
      faults.withLock { $0.append(fault) }
    }
    let kinds = Set(faults.withLock { $0 }.map(\.kind))
    #expect(
      kinds.isSuperset(of: [
        .dangling, .oneSided, .unknownEntity, .value, .order, .entityColumn, .keyAboveMaximum,
      ]))
    #expect(summary.faultCount == faults.withLock { $0 }.count)
    #expect(summary.objects["Feline"] == 3, "the store has a former name for it")
    let findings = try await SQLCipherStore.verify(place.description)
    #expect(findings.allSatisfy { $0.kind == .missingValue } && findings.count == 1)
    let container = try await place.open()
    let fresh = try container.newContext().insert("Tag")
    #expect(fresh.objectID.isTemporaryID)
    try container.close()
  }

  @Test("is there whole or not at all")
  func stopped() async throws {
    let place = try Place()
    let url = try place.copy("made")
    try Data("mine".utf8).write(to: place.file("new.strongroom"))
    await #expect { try await AppleStore(url: url).importStore(into: place.description) } throws: {
      ($0 as? StoreError)?.code == .fileExists
    }
    #expect(try Data(contentsOf: place.file("new.strongroom")) == Data("mine".utf8))
    try FileManager.default.removeItem(at: place.file("new.strongroom"))
    // Another program writes meanwhile.
    await #expect {
      let source = try AppleStore(url: url)
      try Data("x".utf8).write(to: URL(fileURLWithPath: url.path + "-wal"))
      _ = try await source.importStore(into: place.description)
    } throws: {
      ($0 as? AppleStoreError)?.code == .busy
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
    #expect(left.allSatisfy { !$0.hasPrefix("new.") })
  }
}
