import Foundation
import Locks
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("A server that is killed", .enabled(if: PostgresServer.programs != nil))
struct CrashTests {
  @Test(
    "has each save that was acknowledged once, and none that was refused, with a history and without",
    arguments: [true, false])
  func acknowledged(tracksHistory: Bool) async throws {
    let server = try PostgresServer()
    let model = try ManagedObjectModel { Entity("Note") { Attribute("number", .integer64) } }
    var description = PersistentStoreDescription(type: PostgresStore.storeType, url: try server.url)
    description.serverSchema = "crashes"
    description.tracksHistory = tracksHistory
    let store = try PostgresStore(model: model, description: description)
    try await store.loadMetadata()
    let (saved, refused) = (Locked<Set<Int64>>([]), Locked<Set<Int64>>([]))
    let entity = try #require(model.entity(named: "Note"))
    let (isOver, kills) = (Locked(false), Locked(0))
    let killer = Thread {
      while !isOver.withLock({ $0 }) {
        usleep(.random(in: 300_000...900_000))
        // Not while the test looks at what is there.
        isOver.withLock { if !$0 { server.crash() } }
        kills.withLock { $0 += 1 }
        // Else a busy machine never has it up.
        server.wait()
      }
    }
    killer.start()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var place: Int64 = 0
      // On a busy machine three kills may all meet pauses.
      while place < 400 || kills.withLock({ $0 < 3 })
        || refused.withLock({ $0.isEmpty }) && kills.withLock({ $0 < 60 })
      {
        let number = Int64(thread) << 32 + place
        place += 1
        do {
          let ids = try store.obtainPermanentIDs(for: [entity])
          let builder = NodeBuilder()
          builder.begin(fieldCount: entity.fieldCount)
          try builder.set(entity.attributes[0], .integer(number))
          var save = SaveChangesRequest()
          save.inserted = ids.map { builder.finish($0.storeEntity, reference: $0.reference, version: 1) }
          try store.save(save)
          saved.withLock { _ = $0.insert(number) }
        } catch let error as StoreError where error.code == .serverUnreachable {
          refused.withLock { _ = $0.insert(number) }
          usleep(20_000)
        } catch {
          Issue.record(error)
        }
      }
    }
    isOver.withLock { $0 = true }
    var found: [Int64]?
    for _ in 0..<1200 where found == nil {
      found = try? store.fetchNodes(FetchRequest("Note"), lookup: nil).map { $0.integer(0) }
      if found == nil { try await Task.sleep(for: .milliseconds(50)) }
    }
    let numbers = try #require(found)
    #expect(Set(numbers).count == numbers.count)
    #expect(Set(numbers) == saved.withLock { $0 })
    #expect(refused.withLock { !$0.isEmpty }, "the server was killed while it was used")
    #expect(
      try store.execute(.fetchHistory(after: nil as PersistentHistoryToken?)).transactions.count
        == (tracksHistory ? numbers.count : 0))
  }
}
