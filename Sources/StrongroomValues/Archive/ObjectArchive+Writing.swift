import Foundation
import ObjectModel
import StoreContract

extension ObjectArchive {
  /// Takes an object in; `save()` stores it, and everything it refers to. An object that is there
  /// already is no error. Issues no statement.
  /// - Throws: `ValuesError`: `notRegistered`; `duplicateName` when another instance of its
  ///   identifier is there.
  public func store(_ object: some ArchivedObject) throws { try adopt(object) }

  /// Takes an object in, as what everything begins at. Issues no statement.
  /// - Throws: as `store(_:)`.
  public func setRoot(_ object: some ArchivedObject) throws {
    try adopt(object)
    newRoot = object.id
  }

  /// Deletes an object with the next save. References to it then find no object. Issues no
  /// statement.
  public func delete(_ object: some ArchivedObject) {
    let node = entries.removeValue(forKey: object.id)?.node
    deleted.updateValue(node, forKey: object.id)
    order.removeAll { $0 == object.id }
  }

  /// Stores new and changed objects, and everything they refer to that is new, in one transaction;
  /// what is unchanged is not written. One statement to look for new identifiers, and one for each
  /// object written.
  ///
  /// Every object that is there is encoded to see whether it changed.
  /// - Throws: `ValuesError`: `unencodable`, `notRegistered`; `StoreError` with code `conflict`
  ///   when another program changed one of the objects since it was read. Nothing is stored then.
  public func save() throws {
    var changes: [(entry: Entry, name: String, payload: Data)] = []
    var place = 0
    // Encoding an object brings what it refers to, behind it.
    while place < order.count {
      defer { place += 1 }
      guard let entry = entries[order[place]] else { continue }
      let type = Swift.type(of: entry.object)
      let payload: Data
      do { payload = try ArchiveCoding.encode(entry.object, in: self) } catch {
        throw ValuesError.coding(.unencodable, "a \(type) cannot be stored", error)
      }
      if payload != entry.payload { changes.append((entry, try registry.name(of: type), payload)) }
    }
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
    _ = try coordinator.execute(save)
    for (change, node) in zip(changes, nodes) {
      change.entry.node = node
      change.entry.payload = change.payload
    }
    deleted = [:]
    newRoot = nil
  }

  /// Whether `save()` would write anything. Encodes every object that is there; no statement.
  /// - Throws: `ValuesError` with code `unencodable`.
  public func hasChanges() throws -> Bool {
    if !deleted.isEmpty || newRoot != nil { return true }
    for id in order {
      guard let entry = entries[id] else { continue }
      do {
        if try ArchiveCoding.encode(entry.object, in: self) != entry.payload { return true }
      } catch {
        throw ValuesError.coding(.unencodable, "a \(type(of: entry.object)) cannot be stored", error)
      }
    }
    return false
  }

  /// Releases every object, so that each is read again on its next access. Unsaved changes are
  /// discarded from the archive; objects that the program still holds are no longer its.
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
      throw ValuesError(
        .duplicateName,
        "another \(Swift.type(of: known.object)) of the same identifier is in the archive already; change that one"
      )
    }
    // An object that is deleted and stored again reuses its row.
    let node = deleted.removeValue(forKey: object.id) ?? nil
    entries[object.id] = Entry(object, node)
    order.append(object.id)
  }

  /// Finds the rows of objects that are new here and may not be new in the file.
  private func lookUp(_ new: [Entry]) throws {
    let unknown = new.map(\.object.id) + deleted.filter { $0.value == nil }.keys
    if unknown.isEmpty { return }
    for node in try fetch(ids: unknown) {
      guard case .uuid(let id) = value("identifier", of: node) else { continue }
      if let entry = entries[id] { entry.node = node } else { deleted.updateValue(node, forKey: id) }
    }
  }

  private func nodes(
    of changes: [(entry: Entry, name: String, payload: Data)], _ save: inout SaveChangesRequest
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
        "identifier": .uuid(change.entry.object.id), "typeName": .string(change.name),
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
