/// What says where a container keeps models: a `ModelConfiguration`, or one of a program's own kind of store.
public protocol DataStoreConfiguration<Store>: Hashable {
  /// The kind of store.
  associatedtype Store: DataStore where Store.Configuration == Self
  /// The name.
  var name: String { get }
  /// The classes; nil for all of the container's, which the container sets.
  var schema: Schema? { get set }
  /// Checks what can be checked before the store is opened.
  /// - Throws: what is wrong with it.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Finds nothing wrong.
  public func validate() throws {}
}
