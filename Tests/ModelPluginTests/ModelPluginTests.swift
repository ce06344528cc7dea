import Foundation
import Strongroom
import Testing

/// Customer and Order are made by the build plugin from the model beside this file.
@Suite("Classes made while building")
struct ModelPluginTests {
  @Test("are there, and do what the model says")
  func classes() async throws {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Shop.xcdatamodeld")
    let container = PersistentContainer(
      managedObjectModel: try ManagedObjectModel.load(contentsOf: url).model,
      description: PersistentStoreDescription(type: InMemoryStore.storeType))
    try container.persistentStoreCoordinator.registerGeneratedClasses()
    try await container.loadPersistentStores()
    let context = container.newContext()
    let customer = try context.insert(Customer.self)
    customer.name = "Ada"
    for price in [2.5, 4] {
      let order = try context.insert(Order.self)
      order.price = price
      order.customer = customer
    }
    try context.save()
    #expect(customer.orders.count == 2)
    #expect(customer.spent == 6.5)
  }
}
