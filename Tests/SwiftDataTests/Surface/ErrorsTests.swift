// The errors: what is thrown, and how they are caught.

import Foundation
import SwiftData
import Testing

@Suite("Errors")
struct ErrorsTests {
  @Test("What a store cannot do is an error of its own")
  func stores() throws {
    func refuse(_ error: any Error) throws { throw error }
    try expectHashed(
      DataStoreError.preferInMemoryFilter as any Hashable, DataStoreError.preferInMemoryFilter,
      DataStoreError.preferInMemorySort)
    let equal: any Equatable = DataStoreError.invalidPredicate
    #expect(equal as? DataStoreError == .invalidPredicate)
    let error: any Error = DataStoreError.unsupportedFeature
    #expect(throws: DataStoreError.unsupportedFeature) { try refuse(error) }
    #expect(error.localizedDescription.contains("no such feature"))
  }

  @Test("Errors are equal by kind, and matched in a catch")
  func kinds() throws {
    try expectHashed(
      SwiftDataError.unknownSchema as any Hashable, SwiftDataError.unknownSchema,
      SwiftDataError.sortingPendingChangesWithIdentifiers)
    let thrown = #expect(throws: SwiftDataError.self) {
      try ModelConfiguration("a/b").validate()
    }
    let error: any Error = try #require(thrown)
    #expect(SwiftDataError.configurationFileNameContainsInvalidCharacters ~= error)
    #expect(!(SwiftDataError.unknownSchema ~= error))
    #expect(!(SwiftDataError.unknownSchema ~= CocoaError(.fileNoSuchFile)))
    #expect(
      error.localizedDescription != SwiftDataError.configurationFileNameContainsInvalidCharacters.message)
  }

  @Test("Unsaved changes are sorted among identifiers")
  func identifiers() throws {
    let context = try ModelContext.harbor()
    for name in ["Calais", "Brest"] { context.insert(Harbor(name)) }
    try context.save()
    let new = Harbor("Antwerp")
    context.insert(new)
    let descriptor = FetchDescriptor<Harbor>(sortBy: [SortDescriptor(\.name)])
    do {
      let found = try context.fetchIdentifiers(descriptor)
      #expect(found.count == 3 && found.first == new.persistentModelID)
    } catch SwiftDataError.sortingPendingChangesWithIdentifiers {
      Issue.record("identifiers are sorted with what is not saved")
    }
  }

  @Test("A container refuses a configuration with classes that its schema has not")
  func schemas() throws {
    let other = ModelConfiguration(schema: Schema([Orchard.self]), isStoredInMemoryOnly: true)
    let error = #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(for: Schema([Harbor.self]), configurations: other)
    }
    #expect(error?.message.contains("Orchard") == true)
    let own = ModelConfiguration("own", schema: Schema([Harbor.self]), isStoredInMemoryOnly: true)
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(for: Schema([Harbor.self]), configurations: own, other)
    }
    #expect(try ModelContainer(for: Schema([Harbor.self]), configurations: own).configurations.count == 1)
  }
}
