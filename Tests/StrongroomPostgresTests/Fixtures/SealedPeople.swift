import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StoreKeyring
import StrongroomPostgres

/// A model with sealed attributes of every type, and stores of it.
struct SealedPeople {
  let model: ManagedObjectModel
  let vault: InMemoryVault
  let schema: String

  init(_ vault: InMemoryVault = InMemoryVault(), schema: String? = nil) throws {
    model = try Self.model()
    self.vault = vault
    self.schema = try schema ?? PostgresServer.shared().newSchema()
  }

  static func model(_ change: (inout [Entity]) -> Void = { _ in }) throws -> ManagedObjectModel {
    var person = Entity("Person") {
      Attribute("name", .string)
      Attribute("iban", .string, sealing: .equality)
      Attribute("note", .string, sealing: .full)
      Attribute("salary", .decimal, sealing: .full)
      Attribute("rate", .decimal, sealing: .equality)
      Attribute("born", .date, sealing: .equality)
      Attribute("photo", .binary, sealing: .full)
      Attribute("pin", .integer32, sealing: .equality)
      Attribute("isRich", .boolean, sealing: .full)
      Attribute("size", .double, sealing: .equality)
      Attribute("token", .uuid, sealing: .equality)
      Attribute("page", .uri, sealing: .full)
      Relationship("accounts", toMany: "Account", inverse: "owner")
    }
    person.uniquenessConstraints = [UniquenessConstraint("iban")]
    var employee = Entity("Employee", parent: "Person") {
      Attribute("badge", .string, sealing: .equality)
      Attribute("grade", .integer16, sealing: .full)
    }
    employee.uniquenessConstraints = [UniquenessConstraint("badge")]
    let account = Entity("Account") {
      Attribute("number", .string, sealing: .equality)
      Attribute("balance", .integer64, sealing: .full)
      Attribute("plain", .binary)
      Relationship("owner", to: "Person", inverse: "accounts")
    }
    var entities = [person, employee, account]
    change(&entities)
    return try ManagedObjectModel(ModelDeclaration(entities: entities))
  }

  func store(
    _ model: ManagedObjectModel? = nil, _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) async throws -> PostgresStore {
    try await PostgresFactory.store(model ?? self.model, schema: schema) {
      $0.keyVaults = [vault]
      change(&$0)
    }
  }

  /// A context on a store of the model.
  static func context(_ store: PostgresStore, _ model: ManagedObjectModel) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(store)
    return ManagedObjectContext(coordinator, isolation: nil)
  }

  func context(_ store: PostgresStore) throws -> ManagedObjectContext { try Self.context(store, model) }

  static let values: [String: AttributeValue] = [
    "name": "Ada", "iban": "DE02 1203 0000 0000 2020 51", "note": "likes\u{0}bees 🐝",
    "salary": .decimal(Decimal(string: "123456.7890") ?? 0), "rate": .decimal(Decimal(string: "0.30") ?? 0),
    "born": .date(Date(timeIntervalSinceReferenceDate: -2_000_000_000.25)),
    "photo": .data(Data([0, 255, 1, 0])), "pin": 4711, "isRich": true, "size": 1.75,
    "token": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
    "page": .uri(URL(fileURLWithPath: "/ada")),
  ]

  /// The code and the message of what a closure throws.
  static func refusal(_ body: () async throws -> Void) async -> (code: String, message: String) {
    do {
      try await body()
      return ("", "nothing was thrown")
    } catch let error as StoreError {
      return ("\(error.code)", error.message)
    } catch let error as KeyringError {
      return ("\(error.code)", error.message)
    } catch {
      return ("other", "\(error)")
    }
  }
}
