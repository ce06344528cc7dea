// Over Models/Wallet.swift: a store is closed when its container is let go of on the main actor,
// with no pause.

import Foundation
import SwiftData
import Testing

@MainActor
final class WalletTests {
  private let store: TestStore

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private func fill() throws {
    let container = try openWallet(
      WalletV1.self, store.configuration(for: Schema(versionedSchema: WalletV1.self)))
    let context = container.mainContext
    for (title, amount) in [("euro", 1.0), ("cent", 0.01), ("euro", 1.5)] {
      context.insert(WalletV1.Coin(title: title, amount: amount))
    }
    try context.save()
  }

  @Test func theNextVersionOpensAsSoonAsTheLastIsLetGo() throws {
    try fill()
    let container = try openWallet(
      WalletV2.self, migrationPlan: WalletPlan.self,
      store.configuration(for: Schema(versionedSchema: WalletV2.self)))
    let coins = try container.mainContext.fetch(
      FetchDescriptor<WalletV2.Coin>(sortBy: [SortDescriptor(\.name)]))
    #expect(coins.map(\.name) == ["cent", "euro"])
    #expect(coins.map(\.cents) == [1, 100])
  }

  @Test func aConfigurationOfAnotherKindOpensItsOwnStore() throws {
    struct Cloud: DataStoreConfiguration {
      typealias Store = CloudStore
      var name = "cloud"
      var schema: Schema?
      var isReachable = true
    }
    final class CloudStore: DataStore {
      typealias Configuration = Cloud
      typealias Snapshot = DefaultSnapshot
      let configuration: Cloud
      let identifier = "cloud"
      var schema: Schema { configuration.schema ?? Schema() }
      init(_ configuration: Cloud, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
        if !configuration.isReachable { throw CocoaError(.fileReadUnknown) }
        self.configuration = configuration
      }
      func fetch<T>(_ request: DataStoreFetchRequest<T>) -> DataStoreFetchResult<T, DefaultSnapshot> {
        DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: [])
      }
      func save(
        _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
      ) -> DataStoreSaveChangesResult<DefaultSnapshot> { DataStoreSaveChangesResult(for: identifier) }
    }
    let container = try openWallet(WalletV1.self, Cloud())
    #expect(try container.mainContext.fetch(FetchDescriptor<WalletV1.Coin>()).isEmpty)
    let error = #expect(throws: SwiftDataError.self) {
      try openWallet(WalletV1.self, Cloud(isReachable: false))
    }
    #expect(error == .loadIssueModelContainer && error?.cause is CocoaError)
    #expect(throws: Never.self) { try Cloud().validate() }
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelConfiguration("a/b").validate()
    }
  }

  @Test func savesAreAwaitedByTheirNotification() async throws {
    let container = try openWallet(
      WalletV1.self, store.configuration(for: Schema(versionedSchema: WalletV1.self)))
    let (context, other) = (ModelContext(container), ModelContext(container))
    var saves = coinsSaved(by: context).makeAsyncIterator()
    for (saving, titles) in [(context, ["a", "b"]), (other, ["c"]), (context, ["d"])] {
      for title in titles { saving.insert(WalletV1.Coin(title: title, amount: 1)) }
      try saving.save()
    }
    #expect(await saves.next(isolation: #isolation) == 2)
    #expect(await saves.next(isolation: #isolation) == 1)
  }
}
