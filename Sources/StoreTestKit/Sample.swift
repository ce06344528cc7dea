import Foundation
package import ObjectModel
import ObjectQuery
import StoreContract

/// The model and the hand tools of the checks.
package enum Sample {
  package static func model() throws -> ManagedObjectModel {
    let place = Composite(
      "Place", [Attribute("street", .string), Attribute("height", .double)])
    return try ManagedObjectModel(ModelDeclaration(entities: entities, composites: [place]))
  }

  @ModelBuilder
  private static var entities: [Entity] {
    Entity("Work", abstract: true) {
      Attribute("title", .string, optional: false)
      Attribute("pages", .integer32)
      Relationship("author", to: "Person", inverse: "works")
      Relationship("tags", toMany: "Tag", inverse: "works")
    }
    Entity("Book", parent: "Work") {
      Attribute("isbn", .string)
      UniquenessConstraint("isbn")
    }
    Entity("Article", parent: "Work") { Attribute("journal", .string) }
    Entity("Person") {
      Attribute("name", .string)
      Relationship("works", toMany: "Work", inverse: "author")
      Relationship("favourites", toMany: "Work", ordered: true)
      Relationship("friends", toMany: "Person", inverse: "friends")
      Relationship("chapters", toMany: "Chapter", inverse: "person", ordered: true)
    }
    Entity("Tag") {
      Attribute("name", .string)
      Relationship("works", toMany: "Work", inverse: "tags", ordered: true)
    }
    Entity("Chapter") { Relationship("person", to: "Person", inverse: "chapters") }
    Entity("order") {
      Attribute("select", .string)
      Attribute("SELECT", .integer64)
      Attribute("_id", .string)
      Attribute("rowid", .string)
      Attribute("quote\"and space", .string)
    }
    Entity("Order") { Attribute("group", .string) }
    Entity("_order") { Attribute("where", .string) }
    Entity("Everything") {
      for type in AttributeType.allCases where type != .undefined {
        Attribute(type.rawValue, type, composite: type == .composite ? "Place" : nil)
      }
    }
  }

  /// A node of an entity with the values given.
  static func node(
    _ store: any IncrementalStore, _ id: ManagedObjectID, version: Int64 = 1,
    _ values: [String: AttributeValue]
  ) throws -> IncrementalStoreNode {
    let builder = NodeBuilder()
    builder.begin(fieldCount: id.entity.fieldCount)
    for (name, value) in values {
      switch id.entity.property(named: name) {
      case .attribute(let attribute)?: try builder.set(attribute, value)
      case .relationship(let relationship)?:
        if case .reference(let reference) = value { builder.set(relationship.field, integer: reference) }
      case nil: throw StoreCheckFailure(description: "no property \(name)")
      }
    }
    return builder.finish(id.storeEntity, reference: id.reference, version: version)
  }

  /// Inserts objects of one entity and answers their IDs.
  @discardableResult
  static func insert(
    _ store: any IncrementalStore, _ model: ManagedObjectModel, _ entity: String,
    _ rows: [[String: AttributeValue]]
  ) throws -> [ManagedObjectID] {
    guard let entity = model.entity(named: entity) else { throw StoreCheckFailure(description: "no entity") }
    let ids = try store.obtainPermanentIDs(for: rows.map { _ in entity })
    var save = SaveChangesRequest()
    save.inserted = try zip(ids, rows).map { try node(store, $0, $1) }
    try store.save(save)
    return ids
  }

  /// Changes attributes of one object.
  static func update(
    _ store: any IncrementalStore, _ id: ManagedObjectID, version: Int64, _ values: [String: AttributeValue]
  ) throws {
    var all: [String: AttributeValue] = [:]
    let old = try store.newValues(for: id)
    for field in id.entity.storedFields { all[field.name] = old.value(of: field) }
    all.merge(values) { $1 }
    var fields = PropertyIndexSet()
    for (field, stored) in id.entity.storedFields.enumerated() where values[stored.name] != nil {
      fields.insert(field)
    }
    var save = SaveChangesRequest()
    save.updated = [
      UpdatedObject(node: try node(store, id, version: version + 1, all), changedFields: fields)
    ]
    try store.save(save)
  }

  /// The place of one stored property.
  static func field(_ id: ManagedObjectID, _ name: String) throws -> PropertyIndexSet {
    guard let field = id.entity.storedFields.firstIndex(where: { $0.name == name }) else {
      throw StoreCheckFailure(description: "no stored property \(name)")
    }
    var set = PropertyIndexSet()
    set.insert(field)
    return set
  }

  static func delete(_ store: any IncrementalStore, _ id: ManagedObjectID, version: Int64) throws {
    var save = SaveChangesRequest()
    save.deleted = [LockedObject(objectID: id, version: version)]
    try store.save(save)
  }

  static func nodes(_ store: any IncrementalStore, _ request: FetchRequest) throws -> [IncrementalStoreNode] {
    let nodes = try store.fetchNodes(request, lookup: nil)
    return nodes
  }

  static func entity(_ model: ManagedObjectModel, _ name: String) throws -> EntityDescription {
    guard let entity = model.entity(named: name) else {
      throw StoreCheckFailure(description: "no entity \(name)")
    }
    return entity
  }

  static func relationship(_ entity: EntityDescription, _ name: String) throws -> RelationshipDescription {
    guard let relationship = entity.relationship(named: name) else {
      throw StoreCheckFailure(description: "no relationship \(name)")
    }
    return relationship
  }

  /// The destinations of one object's to-many.
  static func destinations(
    _ store: any IncrementalStore, _ entity: EntityDescription, _ name: String, _ reference: Int64
  ) throws -> [Int64] {
    try store.newValues(for: relationship(entity, name), of: [reference]).references
  }

  static func texts(_ nodes: [IncrementalStoreNode], _ name: String) -> [String] {
    nodes.map { node in node.entity.attribute(named: name).map { node.value(of: $0).text } ?? "" }
  }
}
