import ArgumentParser
import Foundation
import PostgresServer
import Strongroom
import StrongroomPostgres

/// Where the objects are that questions are asked of.
enum StoreKind: String, ExpressibleByArgument, CaseIterable {
  /// An encrypted file.
  case file
  /// A server that is started for it.
  case postgres

  /// To be called once, before stores are opened.
  func register() {
    if self == .postgres { PersistentStoreCoordinator.registerStoreClass(PostgresStore.self) }
  }

  func description(_ folder: URL) throws -> PersistentStoreDescription {
    switch self {
    case .file:
      return PersistentStoreDescription(
        url: folder.appendingPathComponent("d.strongroom"), vault: InMemoryVault())
    case .postgres:
      return try PostgresFactory.description(schema: folder.lastPathComponent)
    }
  }

  /// What the store takes of a value.
  func storable(_ value: AttributeValue) -> AttributeValue {
    guard self == .postgres, case .string(let text) = value else { return value }
    return .string(text.replacingOccurrences(of: "\u{0}", with: "\u{1}"))
  }
}
