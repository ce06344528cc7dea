public import ObjectModel
public import StoreContract

/// The values of an object as they were when it was taken: for another isolation, where objects
/// must not go.
///
/// Attributes and to-ones; read to-manys where the object lives. Costs nothing to take of an
/// unchanged object.
public struct ObjectSnapshot: Sendable {
  /// The object's ID.
  public let objectID: ManagedObjectID
  private let node: IncrementalStoreNode

  init(_ objectID: ManagedObjectID, _ node: IncrementalStoreNode) {
    self.objectID = objectID
    self.node = node
  }

  /// An attribute's value, or the `.reference` of a to-one.
  /// - Throws: `unknownKey` when the entity stores no such property, `wrongType` for the bytes of
  ///   an external attribute that were not read when the snapshot was taken.
  public func value(forKey name: String) throws -> AttributeValue {
    let field = objectID.entity.storedFields.first { $0.name == name }
    guard let field else {
      throw ContextError(.unknownKey, "\(objectID.entity.name) stores no attribute or to-one \(name)")
    }
    if case .attribute(let attribute) = field, attribute.isExternal, node.isUnread(attribute.field) {
      throw ContextError(
        .wrongType, "\(objectID.entity.name).\(name) was not read yet; read it before the snapshot is taken")
    }
    return node.value(of: field)
  }

  /// An attribute's value as a Swift type; nil when it is null.
  /// - Throws: as `value(for:)`, and `wrongType` when the attribute holds another type.
  public func get<T: AttributeConvertible>(_ name: String, as type: T.Type = T.self) throws -> T? {
    let value = try value(forKey: name)
    if value.isNull { return nil }
    guard let result = T(attributeValue: value) else {
      throw ContextError(.wrongType, "\(objectID.entity.name).\(name) cannot be read as \(T.self)")
    }
    return result
  }
}

extension ManagedObject {
  /// The object's stored attributes and to-ones as they are now.
  ///
  /// Fires the fault, with one statement for its batch.
  /// - Throws: `objectNotFound` when the object's row is no longer there.
  public final func snapshot() throws -> ObjectSnapshot {
    let graph = try liveGraph()
    let node = try graph.faulting.currentNode(self)
    if state.contains(.deletedInStore) { throw graph.objectNotFound(self) }
    return ObjectSnapshot(objectID, node)
  }
}
