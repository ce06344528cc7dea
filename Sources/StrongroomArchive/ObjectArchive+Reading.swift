public import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract

extension ObjectArchive {
  /// The object with an identifier: the same instance each time.
  ///
  /// One statement, or none when it is loaded already.
  /// - Throws: `ArchiveError`: `notFound`, `notRegistered` with the name of the stored type,
  ///   `wrongType`, `undecodable`, `closed`.
  public func load<Object>(_ type: Object.Type, id: UUID) throws -> Object {
    let loaded = try object(id)
    if let object = loaded as? Object { return object }
    throw ArchiveError(.wrongType, "the object is a \(Swift.type(of: loaded)) and not a \(type)")
  }

  /// All objects of a class, in the order they were first stored; unsaved ones come last.
  ///
  /// Includes objects stored under the class's original names, and excludes those of subclasses.
  /// One statement.
  /// - Throws: as `load(_:id:)`.
  public func objects<Object: ArchivedObject>(_ type: Object.Type) throws -> [Object] {
    let names = try registry.names(of: type).map { FetchExpression.value(.string($0)) }
    let nodes = try fetch(
      .comparison(FetchComparison(.keyPath(["typeName"]), .in, .list(names))))
    let stored = try nodes.compactMap { node in try self.object(of: node) }
    let ids = Set(stored.map(\.id))
    let new = order.filter { !ids.contains($0) }.compactMap { entries[$0] }
      .filter { $0.node == nil && Swift.type(of: $0.object) == type }
    return (stored + new.map(\.object)).compactMap { $0 as? Object }
  }

  /// The root object; nil when none was set.
  ///
  /// One statement, or none when it is loaded already.
  /// - Throws: as `load(_:id:)`.
  public func root<Object>(_ type: Object.Type) throws -> Object? {
    let id =
      try newRoot ?? coordinator.persistentStore.metadata[Self.rootKey].flatMap { UUID(uuidString: $0) }
    return try id.map { try load(type, id: $0) }
  }

  /// The number of stored objects by the name of their type.
  ///
  /// One statement.
  /// - Throws: `StoreError`.
  public func storedTypes() throws -> [String: Int] {
    var request = FetchRequest(Self.entityName)
    request.resultType = .dictionaries
    request.propertiesToFetch = [
      ExpressionDescription("typeName"), ExpressionDescription("typeName", aggregate: .count, as: "n"),
    ]
    request.propertiesToGroupBy = ["typeName"]
    let rows = try coordinator.fetchDictionaries(request)
    var counts: [String: Int] = [:]
    for row in rows {
      if case .string(let name)? = row["typeName"], case .integer(let count)? = row["n"] {
        counts[name] = Int(count)
      }
    }
    return counts
  }

  static let rootKey = "archive.root"

  func object(_ id: UUID) throws -> any ArchivedObject {
    if let entry = entries[id] { return entry.object }
    try read([id])
    if let entry = entries[id] { return entry.object }
    throw ArchiveError(
      .notFound, "there is no object with this identifier: it was deleted, or never saved")
  }

  /// Loads the objects that are not loaded yet.
  ///
  /// One statement, or none.
  func read(_ ids: [UUID]) throws {
    let missing = ids.filter { entries[$0] == nil && deleted[$0] == nil }
    if missing.isEmpty { return }
    for node in try fetch(ids: missing) { _ = try object(of: node) }
  }

  func fetch(ids: [UUID]) throws -> [IncrementalStoreNode] {
    let list = FetchExpression.list(ids.map { .value(.uuid($0)) })
    return try fetch(.comparison(FetchComparison(.keyPath(["identifier"]), .in, list)))
  }

  private func fetch(_ condition: FetchPredicate) throws -> [IncrementalStoreNode] {
    let nodes = try coordinator.fetchNodes(FetchRequest(Self.entityName, where: condition))
    return nodes
  }

  func value(_ name: String, of node: IncrementalStoreNode) -> AttributeValue {
    storeEntity.entity.attribute(named: name).map { node.value(of: $0) } ?? .null
  }

  /// The object of a row; nil when it is deleted and not saved yet.
  private func object(of node: IncrementalStoreNode) throws -> (any ArchivedObject)? {
    guard case .uuid(let id) = value("identifier", of: node),
      case .string(let name) = value("typeName", of: node),
      case .data(let payload) = value("payload", of: node)
    else {
      throw ArchiveError(
        .undecodable,
        "a row of the archive lacks an identifier, type name or payload; another program wrote it")
    }
    if let known = entries[id] { return known.object }
    if deleted[id] != nil { return nil }
    guard let type = try registry.type(named: name) as? any ArchivedObject.Type else {
      throw ArchiveError(
        .wrongType, "an object is stored as \(name), and the type of that name is no ArchivedObject")
    }
    let object: any ArchivedObject
    do {
      let whole = try ArchiveRegistry.completed(payload, for: type)
      object = try ArchiveCoding.decode(type, whole, in: self)
    } catch {
      throw ArchiveError.coding(
        .undecodable, "an object stored as \(name) cannot be decoded as \(type)", error)
    }
    guard object.id == id else {
      throw ArchiveError(
        .undecodable,
        "\(type) does not decode its identifier; code id with the object instead of making a new one")
    }
    entries[id] = Entry(object, node, payload)
    order.append(id)
    return object
  }
}
