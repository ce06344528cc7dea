import PostgresServer
import Strongroom
import StrongroomData
import StrongroomPostgres
import Testing

@Suite("The page on servers: typed models", .enabled(if: PostgresServer.programs != nil))
struct TypedServerTests {
  @Model final class Member {
    var name: String
    init(name: String) { self.name = name }
  }

  @Test("The page's container opens, and another finds what it saved")
  func container() throws {
    let address = try PostgresServer.shared().url
    for count in 0..<2 {
      PersistentStoreCoordinator.registerStoreClass(PostgresStore.self)
      var configuration = ModelConfiguration("Members", url: address)
      configuration.storeDescriptionHandler = { $0.serverSchema = "members" }
      let members = try ModelContainer(for: Member.self, configurations: configuration)
      let context = ModelContext(members)
      #expect(try context.fetchCount(FetchDescriptor<Member>()) == count)
      context.insert(Member(name: "Ada"))
      try context.save()
    }
  }
}
