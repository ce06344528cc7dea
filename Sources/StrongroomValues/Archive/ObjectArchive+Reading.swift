public import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract

extension ObjectArchive {
  /// The object of an identifier: the same instance each time. One statement, or none when it is
  /// there already.
  /// - Throws: `ValuesError`: `notFound`, `notRegistered` with the name of the type that is stored,
  ///   `wrongType`, `undecodable`.
  public func load<Target>(_ type: Target.Type, id: UUID) throws -> Target {
    let object = try object(id)
    if let target = object as? Target { return target }
    throw ValuesError(.wrongType, "the object is a \(Swift.type(of: object)) and not a \(type)")
  }

  /// All objects of a class, those of earlier names of it included and those of subclasses not, in
  /// the order they were first stored; what is not saved yet comes last. One statement.
  /// - Throws: as `load(_:id:)`.
  public func objects<Object: ArchivedObject>(_ type: Object.Type) throws -> [Object] {
    let names = try registry.everyName(of: type).map { FetchExpression.value(.string($0)) }
    let nodes = try fetch(
      .comparison(FetchComparison(.keyPath(["typeName"]), .in, .list(names))))
    let stored = try nodes.compactMap { node in try self.object(of: node) }
    let ids = Set(stored.map(\.id))
    let new = order.filter { !ids.contains($0) }.compactMap { entries[$0] }
      .filter { $0.node == nil && Swift.type(of: $0.object) == type }
    return (stored + new.map(\.object)).compactMap { $0 as? Object }
  }

  /// The object that everything begins at; nil when none was set.
  /// - Throws: as `load(_:id:)`.
  public func root<Target>(_ type: Target.Type) throws -> Target? {
    let id =
      try newRoot ?? coordinator.persistentStore.metadata[Self.rootKey].flatMap { UUID(uuidString: $0) }
    return try id.map { try load(type, id: $0) }
  }

  /// The names that objects are stored under, and how many of each. One statement.
  /// - Throws: `StoreError`.
  public func storedTypes() throws -> [String: Int] {
    var request = FetchRequest(Self.entityName)
    request.resultType = .dictionaries
    request.propertiesToFetch = [
      ExpressionDescription("typeName"), ExpressionDescription("typeName", aggregate: .count, as: "n"),
    ]
    request.propertiesToGroupBy = ["typeName"]
    guard case .dictionaries(let rows) = try coordinator.execute(request) else { return [:] }
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
    throw ValuesError(
      .notFound, "there is no object of the identifier asked for: it was deleted, or never saved")
  }

  /// Reads the objects of identifiers that are not there yet. One statement.
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
    guard case .nodes(let nodes) = try coordinator.execute(FetchRequest(Self.entityName, where: condition))
    else { return [] }
    return nodes
  }

  func value(_ name: String, of node: IncrementalStoreNode) -> AttributeValue {
    storeEntity.entity.attribute(named: name).map { node.value(of: $0) } ?? .null
  }

  /// The object of a row; nil when it was deleted here.
  private func object(of node: IncrementalStoreNode) throws -> (any ArchivedObject)? {
    guard case .uuid(let id) = value("identifier", of: node),
      case .string(let name) = value("typeName", of: node),
      case .data(let payload) = value("payload", of: node)
    else {
      throw ValuesError(.undecodable, "a row of the archive is no object; the file was changed by hand")
    }
    if let known = entries[id] { return known.object }
    if deleted[id] != nil { return nil }
    guard let type = try registry.type(named: name) as? any ArchivedObject.Type else {
      throw ValuesError(
        .wrongType, "\(name) is stored as an object, and the type of that name is no ArchivedObject")
    }
    let object: any ArchivedObject
    do {
      let whole = try ArchiveRegistry.completed(payload, for: type)
      object = try ArchiveCoding.decode(type, whole, in: self)
    } catch {
      throw ValuesError.coding(.undecodable, "an object stored as \(name) makes no \(type)", error)
    }
    guard object.id == id else {
      throw ValuesError(
        .undecodable, "\(type) does not decode its identifier; let id be coded with it, and not be made anew")
    }
    entries[id] = Entry(object, node, payload)
    order.append(id)
    return object
  }
}
