import Foundation
import ObjectModel
import StoreContract

extension ObjectArchive {
  /// Adds an object; `save()` stores it and everything it references.
  ///
  /// Adding an object again has no effect. Issues no statement.
  /// - Throws: `ArchiveError`: `notRegistered`; `duplicateIdentifier` when another instance with
  ///   its identifier is in the archive.
  public func store(_ object: some ArchivedObject) throws { try adopt(object) }

  /// Adds an object as the root.
  ///
  /// Issues no statement.
  /// - Throws: as `store(_:)`.
  public func setRoot(_ object: some ArchivedObject) throws {
    try adopt(object)
    newRoot = object.id
  }

  /// Deletes an object with the next save.
  ///
  /// References to it then throw `notFound`. Issues no statement.
  public func delete(_ object: some ArchivedObject) {
    let node = entries.removeValue(forKey: object.id)?.node
    deleted.updateValue(node, forKey: object.id)
    order.removeAll { $0 == object.id }
  }

  /// Stores new and changed objects, and new objects that they reference, in one transaction;
  /// unchanged objects are not written.
  ///
  /// One statement to look for new identifiers, and one for each object written or deleted.
  ///
  /// Encodes every loaded object to find the changed ones.
  /// - Throws: `ArchiveError`: `unencodable`, `notRegistered`; `StoreError` with code `conflict`
  ///   when another program changed one of the objects since it was read. Nothing is stored then.
  public func save() throws {
    let changes = try changes()
    try lookUp(changes.map(\.entry).filter { $0.node == nil })
    var save = SaveChangesRequest()
    let nodes = try nodes(of: changes, &save)
    for case .some(let node) in deleted.values {
      save.deleted.append(LockedObject(objectID: node.objectID, version: node.version))
    }
    if let newRoot {
      save.metadata = try coordinator.persistentStore.metadata
      save.metadata?[Self.rootKey] = newRoot.uuidString
    }
    if save.isEmpty && save.metadata == nil { return }
    try coordinator.save(save)
    for (change, node) in zip(changes, nodes) {
      change.entry.node = node
      change.entry.payload = change.payload
    }
    deleted = [:]
    newRoot = nil
  }

  /// A loaded object whose encoding is not what is stored.
  private struct Change {
    let entry: Entry
    let typeName: String
    let payload: Data
  }

  private func changes() throws -> [Change] {
    var changes: [Change] = []
    var index = 0
    // By index: encoding an object appends what it references to `order`.
    while index < order.count {
      defer { index += 1 }
      guard let entry = entries[order[index]] else { continue }
      let payload = try payload(of: entry)
      if payload == entry.payload { continue }
      let name = try registry.name(of: Swift.type(of: entry.object))
      changes.append(Change(entry: entry, typeName: name, payload: payload))
    }
    return changes
  }

  private func payload(of entry: Entry) throws -> Data {
    do { return try ArchiveCoding.encode(entry.object, in: self) } catch {
      throw ArchiveError.coding(
        .unencodable, "a \(Swift.type(of: entry.object)) cannot be encoded", error)
    }
  }

  /// Whether `save()` would write anything.
  ///
  /// Encodes every loaded object; issues no statement.
  /// - Throws: `ArchiveError`: `unencodable`, `notRegistered`.
  public func hasChanges() throws -> Bool {
    if !deleted.isEmpty || newRoot != nil { return true }
    for id in order {
      if let entry = entries[id], try payload(of: entry) != entry.payload { return true }
    }
    return false
  }

  /// Releases every object, so that each is read again on its next access.
  ///
  /// Unsaved changes are discarded; objects that the program still retains no longer belong to the
  /// archive. Issues no statement.
  public func release() {
    entries = [:]
    order = []
    deleted = [:]
    newRoot = nil
  }

  func adopt(_ object: any ArchivedObject) throws {
    _ = try registry.name(of: Swift.type(of: object))
    if let known = entries[object.id] {
      if known.object === object { return }
      throw ArchiveError(
        .duplicateIdentifier,
        "another \(Swift.type(of: known.object)) with the same identifier is in the archive already;"
          + " change that one"
      )
    }
    // An object that is deleted and stored again reuses its row.
    let node = deleted.removeValue(forKey: object.id) ?? nil
    entries[object.id] = Entry(object, node)
    order.append(object.id)
  }

  /// Finds the rows of objects that were added and may be stored already.
  ///
  /// One statement, or none.
  private func lookUp(_ new: [Entry]) throws {
    let unknown = new.map(\.object.id) + deleted.filter { $0.value == nil }.keys
    if unknown.isEmpty { return }
    for node in try fetch(ids: unknown) {
      guard case .uuid(let id) = value("identifier", of: node) else { continue }
      if let entry = entries[id] { entry.node = node } else { deleted.updateValue(node, forKey: id) }
    }
  }

  private func nodes(
    of changes: [Change], _ save: inout SaveChangesRequest
  ) throws -> [IncrementalStoreNode] {
    let entity = storeEntity.entity
    let missing = changes.count { $0.entry.node == nil }
    var new = try coordinator.persistentStore.obtainPermanentIDs(
      for: Array(repeating: entity, count: missing))[...]
    let builder = NodeBuilder()
    var fields = PropertyIndexSet()
    for name in ["typeName", "payload"] { entity.attribute(named: name).map { fields.insert($0.field) } }
    return try changes.map { change in
      builder.begin(fieldCount: entity.fieldCount)
      let values: [String: AttributeValue] = [
        "identifier": .uuid(change.entry.object.id), "typeName": .string(change.typeName),
        "payload": .data(change.payload),
      ]
      for (name, value) in values {
        if let attribute = entity.attribute(named: name) { try builder.set(attribute, value) }
      }
      if let old = change.entry.node {
        let node = builder.finish(storeEntity, reference: old.reference, version: old.version + 1)
        save.updated.append(UpdatedObject(node: node, changedFields: fields))
        return node
      }
      let node = builder.finish(storeEntity, reference: new.popFirst()?.reference ?? 0, version: 1)
      save.inserted.append(node)
      return node
    }
  }
}
