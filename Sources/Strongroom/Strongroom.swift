@_exported public import Foundation
@_exported public import ObjectContext
@_exported public import ObjectModel
@_exported public import ObjectQuery
@_exported public import SQLCipherStore
@_exported public import SecretService
@_exported public import StoreContract
@_exported public import StoreKeyring

extension PersistentContainer {
  /// An encrypted container: one file at the URL, its key in the desktop's keyring unless another vault is given.
  ///
  /// `load()` opens it, or makes key and file when there is neither.
  public convenience init(
    name: String, model: ManagedObjectModel, url: URL, vault: any KeyVault = SecretServiceVault()
  ) {
    PersistentStoreCoordinator.register(SQLCipherStore.self)
    self.init(name: name, model: model, storeDescription: PersistentStoreDescription(url: url, vault: vault))
  }

  /// A container over any description, with the encrypted store registered.
  public convenience init(model: ManagedObjectModel, description: PersistentStoreDescription) {
    PersistentStoreCoordinator.register(SQLCipherStore.self)
    self.init(name: "Strongroom", model: model, storeDescription: description)
  }

  /// A container over several stores, each with the entities of its description's `configuration`; the encrypted store is
  /// registered.
  public convenience init(model: ManagedObjectModel, descriptions: [PersistentStoreDescription]) {
    PersistentStoreCoordinator.register(SQLCipherStore.self)
    self.init(name: "Strongroom", model: model, storeDescriptions: descriptions)
  }
}
