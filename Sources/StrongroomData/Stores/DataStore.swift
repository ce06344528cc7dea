/// What keeps the models of a configuration.
///
/// There is one kind here, `DefaultStore`: an encrypted file, or memory.
public protocol DataStore: AnyObject {
  /// What the store is configured with.
  associatedtype Configuration: DataStoreConfiguration where Configuration.Store == Self
}

/// What says where a container keeps models.
///
/// `ModelConfiguration` is the one that a container takes; it refuses others with
/// `SwiftDataError.unsupportedConfiguration`.
public protocol DataStoreConfiguration<Store>: Hashable {
  /// The kind of store.
  associatedtype Store: DataStore
  /// The name.
  var name: String { get }
  /// The classes; nil for all of the container's.
  var schema: Schema? { get set }
  /// Checks what can be checked before the store is opened.
  /// - Throws: what is wrong with it.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Finds nothing wrong.
  public func validate() throws {}
}

/// The store of every `ModelConfiguration`.
///
/// A name for generic code: containers make their stores themselves.
public final class DefaultStore: DataStore {
  /// What the store is configured with.
  public typealias Configuration = ModelConfiguration

  private init() {}
}

extension ModelConfiguration: DataStoreConfiguration {
  /// The store of every configuration.
  public typealias Store = DefaultStore

  /// Checks the name and that nothing is asked for that there is not on Linux.
  ///
  /// Issues no statement.
  /// - Throws: `SwiftDataError`: `configurationFileNameTooLong`,
  ///   `configurationFileNameContainsInvalidCharacters`, `unsupportedConfiguration`.
  public func validate() throws { try StorePlan.check(self) }
}

extension ModelConfiguration {
  /// The configurations, each of which has to be a `ModelConfiguration`.
  static func all(_ given: [any DataStoreConfiguration]) throws -> [ModelConfiguration] {
    try given.map { configuration in
      if let own = configuration as? ModelConfiguration { return own }
      throw SwiftDataError(
        .unsupportedConfiguration,
        "a container here keeps models in stores of its own, so a \(type(of: configuration)) cannot be"
          + " used; use a"
          + " ModelConfiguration")
    }
  }
}
