import Foundation
import Strongroom
import Testing

@Suite("The engine's page of history")
struct EngineHistoryTests {
  private func open(
    _ place: Place, _ model: ManagedObjectModel,
    _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) async throws -> PersistentContainer {
    var description = PersistentStoreDescription(url: place.file("books.strongroom"), vault: place.vault)
    change(&description)
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    return container
  }

  func catchUp(_ context: ManagedObjectContext, _ stored: Data?) throws -> Data? {
    let token = try stored.map { try JSONDecoder().decode(PersistentHistoryToken.self, from: $0) }
    var request = PersistentHistoryChangeRequest.fetchHistory(after: token)
    request.entityNames = ["Book"]
    request.transactionPredicate = try FetchPredicate(format: "author != 'me'")
    let transactions = try context.execute(request).transactions
    for change in transactions.flatMap({ $0.changes ?? [] }) {
      print(change.changeType, change.changedObjectID, change.updatedProperties?.map(\.name) ?? [])
    }
    return try (transactions.last?.token ?? token).map { try JSONEncoder().encode($0) }
  }

  func work(_ coordinator: PersistentStoreCoordinator) throws {
    try coordinator.registerHistoryConsumer("com.example.books.widget", span: 14 * 86_400)
    let unread = try coordinator.execute(.fetchHistory(forConsumer: "com.example.books.widget"))
    for transaction in unread.transactions {
      print(transaction.transactionNumber, transaction.author ?? "")
      try coordinator.advanceHistoryConsumer("com.example.books.widget", to: transaction.token)
    }
  }

  @Test("reads what others saved, by token and as a consumer, and deletes it")
  func reading() async throws {
    let place = try Place()
    let books = try ManagedObjectModel { Entity("Book") { Attribute("title", .string) } }
    let container = try await open(place, books) { description in
      description.historyLimits = PersistentHistoryLimits(age: 7 * 86_400, byteCount: 4 << 20)
    }
    let context = container.newContext()
    try context.insert("Book")
    context.transactionAuthor = "sync"
    try context.save()

    let coordinator = container.persistentStoreCoordinator
    let token = try coordinator.currentPersistentHistoryToken()
    let stored = try catchUp(context, nil)
    #expect(try stored.map { try JSONDecoder().decode(PersistentHistoryToken.self, from: $0) } == token)
    try work(coordinator)
    try context.insert("Book")
    try context.save()
    try work(coordinator)
    #expect(try coordinator.historyConsumers().map(\.transactionNumber) == [2])
    let deleted = try context.execute(.deleteHistory(before: Date(timeIntervalSinceNow: -86_400)))
    print(deleted.count, deleted.limitingConsumer?.name ?? "")
    #expect(deleted.count == 0)
  }

  @Test("has the values of what the model asks for")
  func values() async throws {
    let place = try Place()
    let model = try ManagedObjectModel {
      Entity("Account", userInfo: [EntityDescription.recordsHistoryValuesKey: "YES"]) {
        Attribute("balance", .decimal)
      }
    }
    func audit(_ change: PersistentHistoryChange) {
      let (old, new) = (change.oldValues ?? [:], change.newValues ?? [:])
      for name in Set(old.keys).union(new.keys) {
        print(change.changedObjectID, name, old[name] ?? .attribute(.null), new[name] ?? .attribute(.null))
      }
    }
    let context = try await open(place, model).newContext()
    try context.insert("Account").set("balance", Decimal(7))
    try context.save()
    let changes = try context.execute(.fetchHistory(after: Date.distantPast)).transactions[0].changes ?? []
    changes.forEach(audit)
    #expect(changes.first?.newValues == ["balance": .attribute(.decimal(7))])
  }
}
