public import Foundation
import ObjectModel
import ObjectQuery
public import SecretService
public import StoreContract
public import StoreKeyring

/// Objects of any registered classes in one encrypted file, by identifier and without a schema:
/// polymorphic, cyclic, read when they are asked for, one instance of each.
///
///     let archive = try await ObjectArchive(url: url, Contents.self, Page.self, Circle.self, Rectangle.self)
///     try archive.setRoot(contents)
///     try archive.save()
///
/// The archive retains every object it was given or has read until `release()`, so no change is
/// lost because the program released the object. Not Sendable: the archive, its objects and their
/// references live on the isolation that opened it.
public final class ObjectArchive {
  /// An object that is alive.
  final class Entry {
    let object: any ArchivedObject
    /// Its row; nil for one that is not stored.
    var node: IncrementalStoreNode?
    /// As it is stored.
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
  /// The identifiers in the order they came to be known.
  var order: [UUID] = []
  var deleted: [UUID: IncrementalStoreNode?] = [:]
  var newRoot: UUID?
  private var isOpen = true

  /// Opens an archive, or makes key and file when there is neither. The key is in the desktop's
  /// keyring unless another vault is given. About ten statements, and two more to make it.
  /// - Parameter types: All classes and values that are to be read or stored.
  /// - Throws: `ValuesError` with code `duplicateName`; `StoreError` and the vaults' errors.
  public convenience init(
    url: URL, vault: any KeyVault = SecretServiceVault(), _ types: any ArchivedType.Type...,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await self.init(PersistentStoreDescription(url: url, vault: vault), types)
  }

  /// Opens an archive by a description: several vaults, a recovery code's handler, a key of the
  /// program's own. Other entities of the file stay as they are, so records may be in the same one.
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
    // The model was given it just above, and a store has every entity of its model.
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

  /// Closes the file, which issues no statement on rows. Objects stay; what is not read yet can no
  /// longer be.
  /// - Throws: what closing throws.
  public func close() throws {
    guard isOpen else { return }
    isOpen = false
    try container.close()
  }

  /// The engine's coordinator over the same file.
  /// - Throws: `closed`.
  public var coordinator: PersistentStoreCoordinator {
    get throws {
      guard isOpen else { throw ValuesError(.closed, "the archive is closed; open it again") }
      return container.persistentStoreCoordinator
    }
  }
}
