import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("What is derived on a server", .enabled(if: PostgresServer.programs != nil))
struct DerivedValuesTests {
  private static func derived(_ name: String, _ type: AttributeType, _ expression: String) -> Attribute {
    var attribute = Attribute(name, type)
    attribute.derivationExpression = expression
    return attribute
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Fleet") {
        Attribute("name", .string)
        derived("size", .integer64, "ships.@count")
        derived("weight", .integer64, "ships.@sum.weight")
        derived("shout", .string, "uppercase:(name)")
        Relationship("ships", toMany: "Ship", inverse: "fleet")
        Relationship("ports", toMany: "Port", inverse: "fleets")
        derived("depth", .double, "ports.@sum.depth")
      }
      Entity("Ship") {
        Attribute("weight", .integer32)
        derived("flag", .string, "fleet.name")
        Relationship("fleet", to: "Fleet", inverse: "ships")
      }
      Entity("Port") {
        Attribute("depth", .double)
        Relationship("fleets", toMany: "Fleet", inverse: "ports")
      }
    }
  }

  /// What is stored of a fleet and its ships, read anew.
  private func check(_ coordinator: PersistentStoreCoordinator) throws {
    let context = ManagedObjectContext(coordinator, isolation: nil)
    for fleet in try context.fetch(FetchRequest("Fleet")) {
      let (ships, ports) = (try fleet.objects("ships"), try fleet.objects("ports"))
      let weight = try ships.reduce(0) { try $0 + ($1.get("weight", as: Int.self) ?? 0) }
      let depth = try ports.reduce(0) { try $0 + ($1.get("depth", as: Double.self) ?? 0) }
      #expect(try fleet.get("size", as: Int.self) == ships.count)
      #expect(try fleet.get("weight", as: Int.self) == weight)
      #expect(try fleet.get("depth", as: Double.self) == depth)
      let name = try fleet.get("name", as: String.self)
      #expect(try fleet.get("shout", as: String.self) == name?.uppercased())
      for ship in ships { #expect(try ship.get("flag", as: String.self) == name) }
    }
    for ship in try context.fetch(FetchRequest("Ship", where: .compare("fleet", .equal, .null))) {
      #expect(try ship.get("flag", as: String.self) == nil)
    }
  }

  @Test("is computed anew where an object is deleted while another program links to it")
  func deletedWhileLinked() async throws {
    let server = try PostgresServer.shared()
    let (model, schema) = (try Self.model(), server.newSchema())
    let store = try await PostgresFactory.store(model, schema: schema)
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(store)
    let context = ManagedObjectContext(coordinator, isolation: nil)
    let (fleet, port) = (try context.insert("Fleet"), try context.insert("Port"))
    try port.set("depth", 8.5)
    try context.save()
    // As another program does, which commits while the deletion waits for it.
    let (own, other) = (fleet.objectID.reference, port.objectID.reference)
    let linking = Background {
      try server.execute(
        """
        SET search_path TO "\(schema)"; BEGIN;
        SELECT FROM "Port" WHERE _id = \(other) FOR KEY SHARE;
        INSERT INTO "Fleet_ports" (_source, _target) VALUES (\(own), \(other));
        UPDATE "Fleet" SET depth = 8.5, _version = _version + 1 WHERE _id = \(own);
        SELECT pg_sleep(3), '\(schema)'; COMMIT
        """)
    }
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3)%\(schema)%'"
    while try !linking.isDone && server.execute("\(waiting) AND wait_event = 'PgSleep'") == "0\n" {
      usleep(10_000)
    }
    try context.delete(port)
    try context.save()
    _ = try linking.value()
    let stored = try server.execute("SELECT coalesce(depth, 0) FROM \"\(schema)\".\"Fleet\"")
    #expect(stored == "0\n", "\(stored)")
  }

  @Test("follows what it is derived from, with as many statements for one fleet as for many")
  func follows() async throws {
    let model = try Self.model()
    let store = try await PostgresFactory.store(model)
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(store)
    let context = ManagedObjectContext(coordinator, isolation: nil)
    var counts: [Int] = []
    for round in 0..<2 {
      let fleets = try (0..<(round == 0 ? 2 : 200)).map { number in
        let fleet = try context.insert("Fleet")
        try fleet.set("name", "fleet \(number)")
        return fleet
      }
      let port = try context.insert("Port")
      try port.set("depth", 8.5)
      for (number, fleet) in fleets.enumerated() {
        for weight in 1...2 {
          let ship = try context.insert("Ship")
          try ship.set("weight", number + weight)
          try ship.setObject(fleet, forKey: "fleet")
        }
        try fleet.setObjects([port], forKey: "ports")
      }
      try context.save()
      try check(coordinator)
      let before = try store.roundTripCount
      let moving = try fleets[0].objects("ships")
      try moving[0].setObject(fleets[1], forKey: "fleet")
      try moving[1].set("weight", 100)
      try fleets[1].set("name", "other")
      try port.set("depth", 9)
      try context.save()
      counts.append(try store.roundTripCount - before)
      try check(coordinator)
      try fleets[0].setObjects([], forKey: "ports")
      try context.delete(moving[1])
      try context.save()
      try check(coordinator)
      try context.delete(port)
      try moving[0].setObject(nil as ManagedObject?, forKey: "fleet")
      try context.save()
      try check(coordinator)
    }
    #expect(counts[1] <= counts[0], "\(counts)")
  }
}
