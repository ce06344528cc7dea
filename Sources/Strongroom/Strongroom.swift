public import Foundation
public import ObjectContext
public import ObjectModel
import SQLCipherStore
public import SecretService
public import StoreContract
public import StoreKeyring

extension PersistentContainer {
  /// An encrypted container: one file at the URL, its key in the desktop's keyring unless another vault is given.
  ///
  /// `loadPersistentStores()` opens it, or makes key and file when there is neither.
  public convenience init(
    name: String, managedObjectModel model: ManagedObjectModel, url: URL,
    vault: any KeyVault = SecretServiceVault()
  ) {
    PersistentStoreCoordinator.registerStoreClass(SQLCipherStore.self)
    self.init(
      name: name, managedObjectModel: model,
      persistentStoreDescription: PersistentStoreDescription(url: url, vault: vault))
  }

  /// A container over any description, with the encrypted store registered.
  public convenience init(
    managedObjectModel model: ManagedObjectModel, description: PersistentStoreDescription
  ) {
    PersistentStoreCoordinator.registerStoreClass(SQLCipherStore.self)
    self.init(name: "Strongroom", managedObjectModel: model, persistentStoreDescription: description)
  }

  /// A container over several stores, each with the entities of its description's `configuration`; the encrypted store is
  /// registered.
  public convenience init(
    managedObjectModel model: ManagedObjectModel, descriptions: [PersistentStoreDescription]
  ) {
    PersistentStoreCoordinator.registerStoreClass(SQLCipherStore.self)
    self.init(name: "Strongroom", managedObjectModel: model, persistentStoreDescriptions: descriptions)
  }
}
