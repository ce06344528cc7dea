public import Foundation
public import ObjectContext
public import ObjectModel
import SQLCipherStore
public import SecretService
public import StoreContract
public import StoreKeyring

extension PersistentContainer {
  /// Creates a container over one encrypted file, with its key in the desktop's keyring or in
  /// another vault.
  ///
  /// `loadPersistentStores()` opens the store, or creates key and file when neither exists.
  public convenience init(
    name: String, managedObjectModel model: ManagedObjectModel, url: URL,
    vault: any KeyVault = SecretServiceVault()
  ) {
    PersistentStoreCoordinator.registerStoreClass(SQLCipherStore.self)
    self.init(
      name: name, managedObjectModel: model,
      persistentStoreDescription: PersistentStoreDescription(url: url, vault: vault))
  }

  /// Creates a container from any description, and registers the encrypted store.
  public convenience init(
    managedObjectModel model: ManagedObjectModel, description: PersistentStoreDescription
  ) {
    PersistentStoreCoordinator.registerStoreClass(SQLCipherStore.self)
    self.init(name: "Strongroom", managedObjectModel: model, persistentStoreDescription: description)
  }

  /// Creates a container over several stores, each with the entities of its description's
  /// `configuration`, and registers the encrypted store.
  public convenience init(
    managedObjectModel model: ManagedObjectModel, descriptions: [PersistentStoreDescription]
  ) {
    PersistentStoreCoordinator.registerStoreClass(SQLCipherStore.self)
    self.init(name: "Strongroom", managedObjectModel: model, persistentStoreDescriptions: descriptions)
  }
}
