import ObjectContext
import ObjectModel
import StoreContract

/// A model that is saved, as backing data for its snapshot.
struct SavedModel<Base: DataStore> {
  private let store: CustomStore<Base>
  private let node: IncrementalStoreNode
  /// The destinations by the index of the relationship.
  private let references: [Int: [Int64]]
  private let pending: (_ root: Int, _ reference: Int64) -> IncrementalStoreNode?

  /// - Parameters:
  ///   - store: The store that saves it.
  ///   - node: Its row.
  ///   - toManys: Its to-manys, by the index of the relationship.
  ///   - pending: The rows that are saved with it.
  init(
    _ store: CustomStore<Base>, _ node: IncrementalStoreNode, _ toManys: [Int: [Int64]],
    pending: @escaping (_ root: Int, _ reference: Int64) -> IncrementalStoreNode?
  ) {
    self.store = store
    self.node = node
    self.pending = pending
    var references = toManys
    for relationship in node.entity.relationships where !relationship.isToMany {
      references[relationship.index] = node.reference(relationship.field).map { [$0] } ?? []
    }
    self.references = references
  }

  func backingData() throws -> any BackingData {
    func open<Model: PersistentModel>(_ type: Model.Type) -> any BackingData {
      var data = ModelBackingData<Model>(Self.object(node, node.storeEntity, node.reference))
      data.persistentModelID = store.persistentIdentifier(node.reference, of: node.entity)
      data.saved = SavedRelationships(identifiers) { property, place in destination(property, place) }
      return data
    }
    return open(try store.type(node.entity))
  }

  private var identifiers: [Int: [PersistentIdentifier]] {
    var result: [Int: [PersistentIdentifier]] = [:]
    for relationship in node.entity.relationships {
      result[relationship.index] = (references[relationship.index] ?? []).map {
        store.persistentIdentifier($0, of: relationship.destination)
      }
    }
    return result
  }

  /// Shows what is known of a destination.
  ///
  /// - Precondition: It is one of `identifiers`.
  private func destination(_ property: Int, _ place: Int) -> ModelObject {
    guard case .relationship(let relationship) = node.entity.properties[property],
      let reference = references[property]?[place]
    else { preconditionFailure("\(node.entity.name) has no such relationship") }
    let root = relationship.destination.root.index
    let known = pending(root, reference) ?? store.rows[root]?[reference]?.node
    let entity = store.entity(reference, of: relationship.destination)
    return Self.object(known, store.storeEntities[entity.index], reference)
  }

  private static func object(
    _ node: IncrementalStoreNode?, _ entity: StoreEntity, _ reference: Int64
  ) -> ModelObject {
    let object = ModelObject(.init(detached: entity, reference: reference))
    guard let node else { return object }
    for attribute in entity.entity.attributes where attribute.field >= 0 {
      object.set(
        PropertyIndex(index: attribute.index, field: attribute.field), to: node.value(of: attribute))
    }
    return object
  }
}
