import Foundation
import ObjectModel
import SQLCipherStore
import StoreContract

/// Which stores a container opens, and the model with a configuration for each.
struct StorePlan {
  let model: ManagedObjectModel
  var stores: [PersistentStoreDescription]
  private static let longestName = 200

  /// A store's part of the schema.
  private struct Part {
    let id: String
    let name: String
    let schema: Schema?
  }

  init(
    _ schema: Schema, _ configurations: [ModelConfiguration], _ custom: [DataStoreOpening] = []
  ) throws {
    let whole = try schema.managedObjectModel()
    for configuration in configurations { try Self.check(configuration) }
    let parts =
      configurations.map { Part(id: $0.storeName, name: $0.name, schema: $0.schema) }
      + custom.map { Part(id: $0.id, name: $0.name, schema: $0.schema) }
    stores = configurations.map { Self.store($0, converting: schema) } + custom.map(\.description)
    try Self.checkDifferent(parts)
    try Self.checkKnown(parts, whole)
    guard parts.count > 1 else {
      model = whole
      return
    }
    var description = whole.declaration
    var taken: [String: String] = [:]
    for (place, part) in parts.enumerated() {
      let names = (part.schema ?? schema).entityNames
      for name in names {
        if let other = taken[name] {
          throw SwiftDataError(
            .duplicateConfiguration,
            "the configurations \(other) and \(part.name) both have \(name); give each a schema without the"
              + " other's classes")
        }
        taken[name] = part.name
      }
      description.configurations[part.id] = names
      stores[place].configuration = part.id
    }
    model = try ManagedObjectModel(description)
  }

  private static func checkKnown(_ parts: [Part], _ model: ManagedObjectModel) throws {
    for part in parts {
      for name in part.schema?.entityNames ?? [] where model.entity(named: name) == nil {
        throw SwiftDataError(
          .configurationSchemaNotFoundInContainerSchema,
          "the configuration \(part.name) has \(name), which the container's schema has not; add it there")
      }
    }
  }

  private static func checkDifferent(_ parts: [Part]) throws {
    var ids: Set<String> = []
    for part in parts where !ids.insert(part.id).inserted {
      throw SwiftDataError(
        .duplicateConfiguration,
        "two configurations are stored in \(part.id); give one another name or URL")
    }
  }

  static func check(_ configuration: ModelConfiguration) throws {
    if let name = configuration.cloudKitContainerIdentifier {
      throw SwiftDataError(
        .unsupportedConfiguration,
        "there is no CloudKit on Linux, so the database \(name) cannot be used; take cloudKitDatabase out")
    }
    if configuration.name.utf8.count > longestName {
      throw SwiftDataError(
        .configurationFileNameTooLong,
        "a configuration's name is longer than \(longestName) bytes; shorten it")
    }
    if configuration.name.contains("/")
      || configuration.name.unicodeScalars.contains(where: { $0.value < 32 })
    {
      throw SwiftDataError(
        .configurationFileNameContainsInvalidCharacters,
        "the configuration's name \(configuration.name) has a slash or a control character; take it out")
    }
    _ = try configuration.storeClass
  }

  /// The description of a store whose values become those of a schema's classes.
  private static func store(
    _ configuration: ModelConfiguration, converting schema: Schema
  ) -> PersistentStoreDescription {
    var store = store(configuration)
    store.valueConversions = schema.conversions()
    return store
  }

  static func store(_ configuration: ModelConfiguration) -> PersistentStoreDescription {
    if let draft = configuration.draftDescription { return draft }
    var store: PersistentStoreDescription
    if configuration.isStoredInMemoryOnly {
      store = PersistentStoreDescription(type: InMemoryStore.storeType)
    } else {
      store = PersistentStoreDescription(
        type: configuration.isOnServer ? ModelConfiguration.serverStoreType : SQLCipherStore.storeType,
        url: configuration.url)
      store.keyVaults = configuration.keyVaults
      store.recoveryCodeHandler = configuration.recoveryCodeHandler
      store.logger = configuration.logger
      if !configuration.isOnServer { store.knownCipher = configuration.knownCipher }
    }
    store.isReadOnly = !configuration.allowsSave
    store.opensNewerStoreReadOnly = configuration.opensNewerStoreReadOnly
    if !configuration.isStoredInMemoryOnly { configuration.storeDescriptionHandler?(&store) }
    return store
  }
}
