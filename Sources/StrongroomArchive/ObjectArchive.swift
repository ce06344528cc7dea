public import Foundation
import ObjectModel
import ObjectQuery
public import SecretService
public import StoreContract
public import StoreKeyring

/// Stores objects of any registered classes in one encrypted file, by identifier and without a
/// schema.
///
/// Objects may be of different classes and reference each other in cycles. Each is read on first
/// access, and has one instance.
///
///     let archive = try await ObjectArchive(url: url, Contents.self, Page.self, Circle.self)
///     try archive.setRoot(contents)
///     try archive.save()
///
/// The archive retains every object that was added or read until `release()`, so that a change is
/// saved although the program released the object. Not Sendable: the archive, its objects and their
/// references belong to the isolation that opened it.
public final class ObjectArchive {
  /// A loaded or added object.
  final class Entry {
    let object: any ArchivedObject
    /// The row; nil when none is known.
    var node: IncrementalStoreNode?
    /// The stored JSON.
    var payload: Data?

    init(_ object: any ArchivedObject, _ node: IncrementalStoreNode? = nil, _ payload: Data? = nil) {
      self.object = object
      self.node = node
      self.payload = payload
    }
  }

  let container: PersistentContainer
  let registry: ArchiveRegistry
  let storeEntity: StoreEntity
  var entries: [UUID: Entry] = [:]
  /// The identifiers in the order in which the objects were added or read.
  var order: [UUID] = []
  /// Objects that the next save deletes, with their rows; nil when none is known.
  var deleted: [UUID: IncrementalStoreNode?] = [:]
  var newRoot: UUID?
  private var isOpen = true

  /// Opens an archive, or creates key and file when neither exists.
  ///
  /// The key is in the desktop's keyring unless another vault is given. About ten statements, and
  /// two more to create the file.
  ///
  /// - Parameters:
  ///   - url: The archive's file.
  ///   - vault: Where its key is.
  ///   - types: All classes and value types that the archive reads or stores.
  ///   - isolation: The actor that the archive is used on.
  /// - Throws: `ArchiveError` with code `duplicateName`; `StoreError` and the vaults' errors.
  public convenience init(
    url: URL, vault: any KeyVault = SecretServiceVault(), _ types: any ArchivedType.Type...,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await self.init(PersistentStoreDescription(url: url, vault: vault), types)
  }

  /// Opens an archive by a description, which can have several vaults, a recovery code's handler or
  /// a key of the program's own.
  ///
  /// Other entities of the file stay as they are, so it can contain records too.
  /// - Throws: as `init(url:vault:_:)`.
  public init(
    _ description: PersistentStoreDescription, _ types: [any ArchivedType.Type],
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    registry = try ArchiveRegistry(types)
    container = try await MergedModel.open(description) { model in
      model.entities.removeAll { $0.name == Self.entityName }
      model.entities.append(Self.entity)
    }
    // The closure above added it, and a store has every entity of its model.
    guard
      let entity = try container.persistentStoreCoordinator.persistentStore.storeEntities.first(where: {
        $0.entity.name == Self.entityName
      })
    else { fatalError("the model that was opened has no \(Self.entityName)") }
    storeEntity = entity
  }

  static let entityName = "_ArchivedObject"

  private static var entity: Entity {
    Entity(entityName) {
      Attribute("identifier", .uuid, optional: false)
      Attribute("typeName", .string, optional: false, indexed: true)
      Attribute("payload", .transformable, optional: false)
      UniquenessConstraint("identifier")
    }
  }

  /// Closes the file; issues no statement on rows.
  ///
  /// Loaded objects stay, others can no longer be read. Closing again has no effect.
  /// - Throws: `StoreError`.
  public func close() throws {
    guard isOpen else { return }
    isOpen = false
    try container.close()
  }

  /// The engine's coordinator over the same file.
  /// - Throws: `ArchiveError` with code `closed`.
  public var coordinator: PersistentStoreCoordinator {
    get throws {
      guard isOpen else { throw ArchiveError(.closed, "the archive is closed; open it again") }
      return container.persistentStoreCoordinator
    }
  }
}
