import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StoreKeyring
import StrongroomPostgres
import Testing

@Suite("Attributes sealed by another version of the model", .enabled(if: PostgresServer.programs != nil))
struct SealedMigrationTests {
  private let vault = InMemoryVault()
  private let schema: String

  init() throws { schema = try PostgresServer.shared().newSchema() }

  private static let types: [(name: String, type: AttributeType)] = [
    ("text", .string), ("number", .integer32), ("flag", .boolean), ("size", .double), ("date", .date),
    ("price", .decimal), ("token", .uuid), ("bytes", .binary), ("page", .uri),
  ]

  private static func model(
    _ sealing: AttributeSealing?, _ change: (inout Entity) -> Void = { _ in }
  ) throws -> ManagedObjectModel {
    var entity = Entity("Item") { Attribute("name", .string) }
    for (name, type) in types { entity.attributes.append(Attribute(name, type, sealing: sealing)) }
    change(&entity)
    return try ManagedObjectModel(ModelDeclaration(entities: [entity]))
  }

  private static func values(_ number: Int) -> [String: AttributeValue] {
    [
      "text": .string("text \(number)"), "number": .integer(Int64(number)), "flag": .boolean(number % 2 == 0),
      "size": .double(Double(number) / 4),
      "date": .date(Date(timeIntervalSinceReferenceDate: Double(number))),
      "price": .decimal(Decimal(number) / 100), "bytes": .data(Data([UInt8(number % 256), 0])),
      "token": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 0, 0, UInt8(number % 256)))),
      "page": .uri(URL(fileURLWithPath: "/\(number)")),
    ]
  }

  private func store(
    _ model: ManagedObjectModel, _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) async throws -> PostgresStore {
    try await PostgresFactory.store(model, schema: schema) {
      $0.keyVaults = [vault]
      change(&$0)
    }
  }

  private func fill(_ model: ManagedObjectModel, _ count: Int, skipping: Set<String> = []) async throws {
    let store = try await self.store(model)
    let entity = try #require(model.entity(named: "Item"))
    var number = 0
    _ = try store.insert(into: entity) { row in
      number += 1
      if number > count { return false }
      try row.set("name", .string("item \(number)"))
      // Every third has no values.
      if number % 3 == 0 { return true }
      for (name, value) in Self.values(number) where !skipping.contains(name) { try row.set(name, value) }
      return true
    }
    try store.close()
  }

  private func check(_ store: PostgresStore, _ model: ManagedObjectModel, _ count: Int) throws {
    let objects = try SealedPeople.context(store, model).fetch(
      FetchRequest("Item", sortDescriptors: [.init("self")]))
    #expect(objects.count == count)
    for (place, object) in objects.enumerated() {
      for (name, value) in Self.values(place + 1) {
        let expected = (place + 1) % 3 == 0 ? .null : value
        if try object.value(forKey: name) != expected { Issue.record("\(name) of \(place + 1)") }
      }
    }
  }

  @Test("attributes that are sealed by a new version, and then in another way, have the values they had")
  func sealing() async throws {
    let server = try PostgresServer.shared()
    let plain = try Self.model(nil)
    try await fill(plain, 2100)
    for sealing in [AttributeSealing.full, .equality, .full] {
      let model = try Self.model(sealing)
      let forecast = try await PostgresStore.migrationForecast(
        for: try PostgresFactory.description(schema: schema), to: model)
      #expect(!forecast.isLossy && forecast.issues.isEmpty)
      let store = try await self.store(model)
      try check(store, model, 2100)
      let types = try server.execute(
        "SELECT DISTINCT format_type(atttypid, -1) FROM pg_attribute WHERE attrelid ="
          + " '\"\(schema)\".\"Item\"'::regclass AND attname IN ('text', 'number', 'price', 'flag', 'bytes')")
      #expect(types == "bytea\n")
      #expect(try server.execute("SELECT count(*) FROM \"\(schema)\".\"Item\" WHERE text = ''") == "0\n")
      let request = FetchRequest("Item", where: .compare("number", .equal, 2000))
      if sealing == .equality { #expect(try store.count(for: request) == 1) }
      try store.close()
    }
    #expect(try server.execute("SELECT count(*) FROM \"\(schema)\".\"Item\"") == "2100\n")
  }

  @Test("a sealed attribute is added, with its default value sealed for each object, or none")
  func adding() async throws {
    let plain = try Self.model(nil)
    try await fill(plain, 5)
    let model = try Self.model(nil) {
      $0.attributes.append(Attribute("code", .string, optional: false, default: "start", sealing: .equality))
      $0.attributes.append(Attribute("memo", .string, sealing: .full))
    }
    let store = try await self.store(model)
    let context = try SealedPeople.context(store, model)
    #expect(try context.count(for: FetchRequest("Item", where: .compare("code", .equal, "start"))) == 5)
    #expect(try context.count(for: FetchRequest("Item", where: .compare("memo", .equal, .null))) == 5)
    let different = try PostgresServer.shared().execute(
      "SELECT count(DISTINCT code), count(DISTINCT substring(code, 1, 32)) FROM \"\(schema)\".\"Item\"")
    #expect(different == "5|1\n")
    #expect(try await vault.keys(for: store.identifier, interaction: .silent).count == 1)
  }

  @Test(
    "what is sealed and made unique in one version is compared as it was",
    arguments: [nil, AttributeSealing.equality, .full])
  func uniqueness(before: AttributeSealing?) async throws {
    let old = try Self.model(before)
    let new = try Self.model(.equality) {
      $0.uniquenessConstraints = [.init("text"), .init("number", "size")]
    }
    try await fill(old, 5)
    let store = try await self.store(new)
    try check(store, new, 5)
    try store.close()
    let context = try await SealedPeople.context(self.store(new), new)
    try context.insert("Item").set("text", "text 4")
    #expect(throws: ContextError.self) { try context.save() }
  }

  @Test("objects whose values are equal are named where a version seals them and makes them unique")
  func duplicates() async throws {
    let old = try Self.model(nil)
    let context = try await SealedPeople.context(store(old), old)
    for (text, number) in [("a", 1), ("b", 2), ("a", 3), (nil, 4), (nil, 5)] as [(String?, Int32)] {
      let item = try context.insert("Item")
      try item.set("text", text)
      try item.set("number", number)
    }
    try context.save()
    let new = try Self.model(.equality) { $0.uniquenessConstraints = [.init("text")] }
    do {
      _ = try await store(new)
      Issue.record("it was migrated")
    } catch let error as StoreError {
      let issue = try #require(error.migrationForecast?.issues.first)
      #expect(issue.kind == .duplicateValues && issue.objectCount == 2, "\(error)")
    }
  }

  @Test("renamed and moved sealed attributes open, and so does the copy before a migration that drops data")
  func renaming() async throws {
    let model = try Self.model(.equality) { $0.attributes.append(Attribute("gone", .string, default: "x")) }
    try await fill(model, 6)
    var thing = Entity("Thing") {
      Attribute("name", .string)
      Attribute("word", .string, sealing: .equality, renamingIdentifier: "text")
    }
    thing.renamingIdentifier = "Item"
    var special = Entity("Special", parent: "Thing") { Attribute("extra", .string, sealing: .full) }
    special.isAbstract = false
    let next = try ManagedObjectModel(ModelDeclaration(entities: [thing, special]))
    let store = try await self.store(next)
    let context = try SealedPeople.context(store, next)
    let words = try context.fetch(FetchRequest("Thing", sortDescriptors: [.init("self")]))
      .map { try $0.get("word", as: String.self) }
    #expect(words == ["text 1", "text 2", nil, "text 4", "text 5", nil])
    #expect(try context.count(for: FetchRequest("Thing", where: .compare("word", .equal, "text 4"))) == 1)
    let copies = try PostgresServer.shared().execute(
      "SELECT nspname FROM pg_namespace WHERE nspname LIKE '\(schema)_before_%'")
    let copy = copies.split(separator: "\n").map(String.init)
    #expect(copy.count == 1)
    let former = try await PostgresFactory.store(model, schema: copy[0]) { $0.keyVaults = [vault] }
    try check(former, model, 6)
  }

  @Test("what the server cannot do is refused by name, and nothing is changed; without values it is done")
  func refused() async throws {
    let server = try PostgresServer.shared()
    let sealed = try Self.model(.full)
    try await fill(sealed, 4, skipping: ["page"])
    let before = try server.dump(schema)
    func refusal(_ model: ManagedObjectModel) async -> (code: String, message: String) {
      await SealedPeople.refusal { _ = try await self.store(model) }
    }
    func changed(_ name: String, _ change: (inout Attribute) -> Void) throws -> ManagedObjectModel {
      try Self.model(.full) { entity in
        for place in entity.attributes.indices where entity.attributes[place].name == name {
          change(&entity.attributes[place])
        }
      }
    }
    let unsealed = await refusal(try changed("text") { $0.sealing = nil })
    #expect(unsealed.code == "modelMismatch" && unsealed.message.contains("Item.text"), "\(unsealed)")
    for type in [AttributeType.integer16, .double] {
      let other = await refusal(try changed("number") { $0.type = type })
      #expect(other.code == "modelMismatch" && other.message.contains("Item.number"), "\(other)")
    }
    #expect(
      await SealedPeople.refusal { _ = try await self.store(sealed) { $0.keyVaults = [] } }.code
        == "keyMissing")
    #expect(try server.dump(schema) == before)
    let widened = try changed("number") { $0.type = .integer64 }
    let store = try await self.store(widened)
    let numbers = try SealedPeople.context(store, widened).fetch(
      FetchRequest("Item", sortDescriptors: [.init("self")])
    )
    .map { try $0.get("number", as: Int64.self) }
    #expect(numbers == [1, 2, nil, 4])
    try store.close()
    let without = try Self.model(.full) { entity in
      for place in entity.attributes.indices {
        if entity.attributes[place].name == "page" { entity.attributes[place].sealing = nil }
        if entity.attributes[place].name == "number" { entity.attributes[place].type = .integer64 }
      }
    }
    let opened = try await self.store(without)
    let context = try SealedPeople.context(opened, without)
    try context.insert("Item").setValue(.uri(URL(fileURLWithPath: "/x")), forKey: "page")
    try context.save()
    #expect(try context.count(for: FetchRequest("Item", where: .compare("page", .notEqual, .null))) == 1)
  }

  @Test("a sealed attribute does not become two, between which its values could be exchanged")
  func dividing() async throws {
    func model(isDivided: Bool) throws -> ManagedObjectModel {
      let secret = Attribute("secret", .string, sealing: .equality)
      let children = ["A", "B"].map { name in
        var child = Entity(name, parent: isDivided ? nil : "Base") { Attribute("\(name)1", .string) }
        if isDivided { child.attributes.append(secret) }
        return child
      }
      var base = Entity("Base") { Attribute("name", .string) }
      if !isDivided { base.attributes.append(secret) }
      return try ManagedObjectModel(ModelDeclaration(entities: [base] + children))
    }
    let old = try model(isDivided: false)
    let context = try await SealedPeople.context(store(old), old)
    for name in ["A", "B"] { try context.insert(name).set("secret", "the same") }
    try context.save()
    let refusal = await SealedPeople.refusal { _ = try await store(model(isDivided: true)) }
    #expect(
      refusal.code == "modelMismatch" && refusal.message.contains("A.secret and B.secret"), "\(refusal)")
  }

  @Test("attributes that are sealed apart do not become one")
  func joining() async throws {
    func model(isJoined: Bool) throws -> ManagedObjectModel {
      let code = Attribute("code", .string, sealing: .equality)
      var parent = Entity("Parent") { Attribute("name", .string) }
      var children = ["A", "B"].map { name in
        Entity(name, parent: "Parent") { Attribute("own\(name)", .string) }
      }
      if isJoined {
        parent.attributes.append(code)
      } else {
        for place in children.indices { children[place].attributes.append(code) }
      }
      return try ManagedObjectModel(ModelDeclaration(entities: [parent] + children))
    }
    let apart = try model(isJoined: false)
    let store = try await self.store(apart)
    let context = try SealedPeople.context(store, apart)
    for name in ["A", "B"] { try context.insert(name).set("code", "same") }
    try context.save()
    try store.close()
    let refusal = await SealedPeople.refusal { _ = try await self.store(model(isJoined: true)) }
    #expect(refusal.code == "modelMismatch" && refusal.message.contains("Parent.code"), "\(refusal)")
    #expect(
      try await self.store(apart).count(for: FetchRequest("B", where: .compare("code", .equal, "same"))) == 1)
  }

  @Test("of programs that seal the first attribute at once one migrates, with one key")
  func together() async throws {
    try await fill(try Self.model(nil), 300)
    let model = try Self.model(.equality)
    try await withThrowingTaskGroup(of: UUID.self) { group in
      for _ in 0..<6 {
        group.addTask {
          let store = try await self.store(model)
          try self.check(store, model, 300)
          return store.identifier
        }
      }
      for try await identifier in group {
        let keys = try await vault.keys(for: identifier, interaction: .silent)
        #expect(!keys.isEmpty)
      }
    }
  }

  @Test("a model without sealed attributes opens what one with them left, without a key")
  func dropped() async throws {
    let sealed = try Self.model(.full)
    try await fill(sealed, 3)
    let plain = try ManagedObjectModel { Entity("Item") { Attribute("name", .string) } }
    let store = try await self.store(plain) { $0.keyVaults = [] }
    #expect(try store.count(for: FetchRequest("Item")) == 3)
  }
}
