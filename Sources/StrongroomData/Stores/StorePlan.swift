import Foundation
import ObjectModel
import SQLCipherStore
import StoreContract

/// Which stores a container opens, and the model with a configuration for each.
struct StorePlan {
  let model: ManagedObjectModel
  var stores: [PersistentStoreDescription]
  private static let longestName = 200

  init(_ schema: Schema, _ configurations: [ModelConfiguration]) throws {
    let whole = try schema.managedObjectModel()
    var ids: Set<String> = []
    for configuration in configurations {
      try Self.check(configuration)
      guard ids.insert(configuration.id).inserted else {
        throw SwiftDataError(
          .duplicateConfiguration,
          "two configurations are stored in \(configuration.id); give one another name or URL")
      }
    }
    guard configurations.count > 1 else {
      model = whole
      stores = configurations.map { Self.store($0, converting: schema) }
      return
    }
    var description = whole.declaration
    var taken: [String: String] = [:]
    for configuration in configurations {
      let names = (configuration.schema ?? schema).shapes.map(\.name)
      for name in names {
        guard whole.entity(named: name) != nil else {
          throw SwiftDataError(
            .configurationSchemaNotFoundInContainerSchema,
            "the configuration \(configuration.name) has \(name), which the container's schema has not; add"
              + " it there"
          )
        }
        if let other = taken[name] {
          throw SwiftDataError(
            .duplicateConfiguration,
            "the configurations \(other) and \(configuration.name) both have \(name); give each a schema"
              + " without the other's"
              + " classes")
        }
        taken[name] = configuration.name
      }
      description.configurations[configuration.id] = names
    }
    model = try ManagedObjectModel(description)
    stores = configurations.map {
      var store = Self.store($0, converting: schema)
      store.configuration = $0.id
      return store
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
      store = PersistentStoreDescription(url: configuration.url, vault: configuration.keyVault)
      store.keyVaults = configuration.keyVaults
      store.recoveryCodeHandler = configuration.recoveryCodeHandler
      store.logger = configuration.logger
      store.knownCipher = configuration.knownCipher
    }
    store.isReadOnly = !configuration.allowsSave
    store.opensNewerStoreReadOnly = configuration.opensNewerStoreReadOnly
    if !configuration.isStoredInMemoryOnly { configuration.storeDescriptionHandler?(&store) }
    return store
  }
}
