import Foundation
import StrongroomData
import Testing

enum Differences {
  @Model final class Item {
    var name: String

    init(name: String) { self.name = name }
  }
}

extension Differences {
  @Suite("The manual: differences")
  struct Tests {
    @Test("More than Apple's")
    @MainActor func more() throws {
      let place = try Place()
      let container = try place.container(for: Item.self)
      let context = ModelContext(container)
      let item = Item(name: "Held")
      context.insert(item)
      try context.save()
      let failure = container.mainContext.autosaveFailure  // why the last save by itself failed
      let held = context.registeredModelCount  // models in memory
      try container.erase()  // as deleteAllData(), and says what stood against it
      #expect(failure == nil && held == 1)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Item>()) == 0)
      context.insert(Item(name: "Again"))
      try context.save()
      container.deleteAllData()
      #expect(try context.fetchCount(FetchDescriptor<Item>()) == 0)
    }

    @Test("What cannot be is refused with what to do")
    func refused() throws {
      var refusal = ""
      do {
        _ = try ModelContainer(
          for: Item.self,
          configurations: ModelConfiguration(cloudKitDatabase: .private("iCloud.org.example")))
      } catch let error as SwiftDataError {
        refusal = error.message  // says what to do
      }
      #expect(refusal.contains("CloudKit"))
      let memory = ModelConfiguration("Item", isStoredInMemoryOnly: true)
      #expect(throws: SwiftDataError.duplicateConfiguration) {
        try ModelContainer(for: Item.self, configurations: memory, memory)
      }
      #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
        try ModelContainer(
          for: Item.self, configurations: ModelConfiguration("a/b", isStoredInMemoryOnly: true))
      }
      #expect(throws: SwiftDataError.configurationFileNameTooLong) {
        let name = String(repeating: "x", count: 500)
        return try ModelContainer(
          for: Item.self, configurations: ModelConfiguration(name, isStoredInMemoryOnly: true))
      }
    }

    @Test("Groups are folders, and a store may be opened for reading only")
    func configurations() throws {
      let grouped = ModelConfiguration("Items", groupContainer: .identifier("group.example"))
      #expect(grouped.url.pathComponents.suffix(2) == ["group.example", "Items.store"])
      #expect(grouped.groupAppContainerIdentifier == "group.example")
      #expect(grouped.cloudKitContainerIdentifier == nil && grouped.cloudKitDatabase == .automatic)
      #expect(ModelConfiguration(groupContainer: .none).groupContainer == .none)
      let place = try Place()
      _ = try place.container(for: Item.self)
      let reading = ModelContext(
        try ModelContainer(
          for: Item.self,
          configurations: ModelConfiguration(
            url: place.file("models.store"), allowsSave: false, keyVault: place.vault)))
      reading.insert(Item(name: "New"))
      #expect(throws: (any Error).self) { try reading.save() }
    }
  }
}
