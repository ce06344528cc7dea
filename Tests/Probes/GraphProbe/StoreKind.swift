import ArgumentParser
import Foundation
import PostgresServer
import Strongroom
import StrongroomPostgres

/// Where a walk's objects are stored.
enum StoreKind: String, ExpressibleByArgument, CaseIterable {
  /// An encrypted file.
  case file
  /// A server that is started for the walk.
  case postgres

  /// To be called once, before stores are opened.
  func register() {
    if self == .postgres { PersistentStoreCoordinator.registerStoreClass(PostgresStore.self) }
  }

  /// A store with the whole history, in a file with its key in a vault, or in a schema of the file's name.
  func description(_ url: URL, _ vault: InMemoryVault) throws -> PersistentStoreDescription {
    var description: PersistentStoreDescription
    switch self {
    case .file:
      description = PersistentStoreDescription(url: url, vault: vault)
      description.durability = .normal
      description.pageCacheBytes = 1 << 20
    case .postgres:
      description = try PostgresFactory.description(
        schema: url.pathComponents.suffix(2).joined(separator: " "))
    }
    description.historyLimits = .none
    return description
  }
}
