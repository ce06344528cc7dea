import Foundation
import Strongroom
import Testing

/// Volume and Writer are made by the build plugin from the model beside this file.
@Suite("The page on generated classes")
struct GeneratedClassesTests {
  @Test("Its program does what the page says")
  func program() async throws {
    let container = PersistentContainer(
      managedObjectModel: try ManagedObjectModel.libraryModel,
      description: PersistentStoreDescription(type: InMemoryStore.storeType))
    try container.persistentStoreCoordinator.registerGeneratedClasses()
    try await container.loadPersistentStores()
    let context = container.newContext()
    let writer = try context.insert(Writer.self)
    writer.name = "Jane"
    let volume = try context.insert(Volume.self)
    volume.title = "Persuasion"
    volume.pages = 249
    volume.writers = [writer]
    try context.save()
    let long = try context.fetch(Volume.self) { $0.pages > 200 && $0.year == nil }
    #expect(long == [volume] && writer.volumes == [volume])
    let second = try context.insert(Writer.self)
    volume.addToWriters(second)
    volume.removeFromWriters(writer)
    try context.save()
    #expect(volume.writers == [second] && writer.volumes.isEmpty && second.volumes == [volume])
    second.volumes = []
    volume.year = 1818
    try context.save()
    #expect(volume.writers.isEmpty && volume.year == Int16(1818))
  }
}
