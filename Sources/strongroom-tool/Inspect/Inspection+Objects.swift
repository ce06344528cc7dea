import Foundation
import Strongroom

extension Inspection {
  static let pageSize = 100
  private static let longestCell = 80
  private static let longestValue = 2000

  /// An object as a link: its entity and number, and what it is called.
  struct ShownLink: Encodable {
    let entity: String
    let number: Int64
    let title: String
  }

  struct ShownCell: Encodable {
    var value: ShownValue?
    var link: ShownLink?
    /// The number of a to-many's objects.
    var count: Int?
  }

  struct ShownRow: Encodable {
    let entity: String
    let number: Int64
    let isChanged: Bool
    let cells: [ShownCell]
  }

  struct ObjectsAnswer: Encodable {
    let columns: [String]
    let rows: [ShownRow]
    /// The number of objects on all pages.
    let total: Int
    let milliseconds: Double
  }

  /// One page of an entity's objects.
  func objects(_ call: InspectRequest) throws -> Answer {
    let clock = ContinuousClock.now
    let entity = try entity(call)
    let context = context
    let (objects, total) = try page(call, of: entity, context)
    let relationships = entity.relationships.filter { !$0.isTransient }
    let attributes = entity.attributes.filter { !$0.isTransient }
    let rows = try objects.map { object in
      ShownRow(
        entity: object.entity.name, number: object.objectID.reference, isChanged: object.hasChanges,
        cells: try attributes.map {
          // A table of long values would read all of them.
          if $0.isExternal { return ShownCell() }
          return ShownCell(
            value: ShownValue(try object.value(forKey: $0.name), of: $0.type, upTo: Self.longestCell))
        } + relationships.map { try Self.cell(object, $0) })
    }
    return try Answer(
      json: ObjectsAnswer(
        columns: attributes.map(\.name) + relationships.map(\.name), rows: rows, total: total,
        milliseconds: clock.milliseconds))
  }

  private static func cell(_ object: ManagedObject, _ relationship: RelationshipDescription) throws
    -> ShownCell
  {
    if relationship.isToMany { return ShownCell(count: try object.objects(relationship.name).count) }
    return ShownCell(link: try object.object(relationship.name).map(Self.link))
  }

  struct ShownProperty: Encodable {
    let name: String
    var value: ShownValue?
    var link: ShownLink?
    var links: [ShownLink]?
    var count: Int?
    var isChanged = false
  }

  struct ObjectAnswer: Encodable {
    let entity: String
    let number: Int64
    let title: String
    let version: Int64
    let uri: String
    let isDeleted: Bool
    let properties: [ShownProperty]
  }

  /// One object with all its values, and the first objects of its to-manys.
  func object(_ call: InspectRequest) throws -> Answer {
    let context = context
    let object = try managedObject(call, context)
    let first = call.number("first", or: 50, in: 0...1000)
    let changed = Set(try object.changedValues().keys)
    var properties = try object.entity.attributes.filter { !$0.isTransient }.map { attribute in
      ShownProperty(
        name: attribute.name, value: try Self.value(object, attribute),
        isChanged: changed.contains(attribute.name))
    }
    for relationship in object.entity.relationships where !relationship.isTransient {
      var property = ShownProperty(name: relationship.name, isChanged: changed.contains(relationship.name))
      if relationship.isToMany {
        let destinations = try object.objects(relationship.name)
        (property.count, property.links) = (destinations.count, destinations.prefix(first).map(Self.link))
      } else {
        property.link = try object.object(relationship.name).map(Self.link)
      }
      properties.append(property)
    }
    return try Answer(
      json: ObjectAnswer(
        entity: object.entity.name, number: object.objectID.reference, title: Self.link(object).title,
        version: object.version, uri: object.objectID.uriRepresentation().absoluteString,
        isDeleted: object.isDeleted, properties: properties))
  }

  private static func value(_ object: ManagedObject, _ attribute: AttributeDescription) throws -> ShownValue {
    // A transformable value is read whole, since it is shown as text where it can be.
    guard attribute.isExternal, attribute.type == .binary, !object.isInserted,
      object.managedObjectContext?.hasChanges == false,
      let reader = try object.managedObjectContext?.openValue(of: object.objectID, attribute.name)
    else {
      return ShownValue(
        try object.value(forKey: attribute.name), of: attribute.type, upTo: Self.longestValue)
    }
    defer { reader.close() }
    let head = try reader.read(upToCount: 12) ?? Data()
    return Picture(head) == nil ? ShownValue(bytes: reader.count) : ShownValue(picture: reader.count)
  }

  /// The bytes of one value, to show as a picture or to save.
  func value(_ call: InspectRequest) throws -> Answer {
    let context = context
    let object = try managedObject(call, context)
    let name = try call.text("key")
    guard let attribute = object.entity.attribute(named: name) else {
      throw Self.noProperty(name, object.entity)
    }
    let value = try object.value(forKey: name)
    let file = "\(object.entity.name)-\(object.objectID.reference)-\(name)"
    guard case .data(let data) = value else {
      return Answer(
        Data(Cell(value, of: attribute.type).text.utf8), "text/plain; charset=utf-8", fileName: file)
    }
    if call["show"] != nil, let picture = Picture(data) { return Answer(data, "image/\(picture.rawValue)") }
    return Answer(data, "application/octet-stream", fileName: file)
  }

  // MARK: Finding

  func entity(_ call: InspectRequest) throws -> EntityDescription {
    let name = try call.text("entity")
    guard let entity = model.entity(named: name) else { throw StoreQuery.unknownEntity(name, model) }
    return entity
  }

  /// The object that `entity` and `number` name.
  ///
  /// The number may be of a subentity's object. One statement.
  /// - Throws: `ToolFailure` where the entity has no such object.
  func managedObject(
    _ call: InspectRequest, _ context: ManagedObjectContext, entityKey: String = "entity",
    numberKey: String = "number"
  ) throws -> ManagedObject {
    let (name, text) = (try call.text(entityKey), try call.text(numberKey))
    guard let entity = model.entity(named: name) else { throw StoreQuery.unknownEntity(name, model) }
    guard let number = Int64(text) else { throw ToolFailure("\(text) is no number of an object") }
    func isMeant(_ object: ManagedObject) -> Bool {
      object.objectID.reference == number && object.entity.isKind(of: entity)
    }
    // What is deleted and not saved yet is shown, and not fetched.
    if let deleted = context.deletedObjects.first(where: isMeant) { return deleted }
    let isSelf = FetchPredicate.comparison(
      FetchComparison(.selfObject, .equal, .value(.reference(number))))
    guard let object = try context.fetch(FetchRequest(name, where: isSelf)).first else {
      throw ToolFailure("\(name) has no object \(number)")
    }
    return object
  }

  static func noProperty(_ name: String, _ entity: EntityDescription) -> ToolFailure {
    ToolFailure("\(entity.name) has no property \(name)")
  }

  /// What objects of an entity are called by: a name or title, or the first text.
  static func titleAttribute(_ entity: EntityDescription) -> AttributeDescription? {
    let texts = entity.attributes.filter { $0.type == .string && !$0.isTransient && !$0.isExternal }
    return texts.first { ["name", "title", "label"].contains($0.name) } ?? texts.first
  }

  static func link(_ object: ManagedObject) -> ShownLink {
    let text = titleAttribute(object.entity).flatMap { try? object.get($0.name, as: String.self) } ?? ""
    let line = text.prefix(60).prefix { !$0.isNewline }
    return ShownLink(
      entity: object.entity.name, number: object.objectID.reference,
      title: line.isEmpty ? "\(object.entity.name) \(object.objectID.reference)" : String(line))
  }
}

extension ContinuousClock.Instant {
  /// Since this moment.
  var milliseconds: Double {
    let parts = (ContinuousClock.now - self).components
    return Double(parts.seconds) * 1000 + (Double(parts.attoseconds) / 1e15 * 100).rounded() / 100
  }
}
