import AppleModel
import Foundation
import KeyedArchive

/// Reads and writes the keyed archive of an `NSMappingModel`, which Xcode compiles into a `.cdm`.
enum CompiledMappingModel {
  // MARK: Reading

  static func read(_ data: Data) throws(MappingModelError) -> MappingModel {
    do {
      guard let root = try KeyedArchive(data).root.object, root.isKind(of: "NSMappingModel"),
        let elements = root["NSEntityMappings"].object?.elements
      else {
        throw MappingModelError(
          .notMappingModel, "this is an archive of something else than a mapping model; use a .cdm")
      }
      var values = FoundationValueReader()
      var mappings: [EntityMapping] = []
      for element in elements {
        guard let object = element.object else { throw damaged("an entity mapping is missing") }
        mappings.append(try entityMapping(object, &values))
      }
      return MappingModel(mappings)
    } catch let error as MappingModelError {
      throw error
    } catch {
      let code = (error as? KeyedArchiveError)?.code
      let isOther = code == .notPropertyList || code == .notKeyedArchive
      throw MappingModelError(
        isOther ? .notMappingModel : .damaged,
        isOther ? "this is no archive of a mapping model; use a .cdm" : "the mapping model cannot be read",
        cause: error)
    }
  }

  private static func damaged(_ what: String) -> MappingModelError {
    MappingModelError(.damaged, "\(what) in the mapping model; compile it again")
  }

  private static func entityMapping(
    _ object: ArchivedObject, _ values: inout FoundationValueReader
  ) throws -> EntityMapping {
    guard let name = object["NSMappingName"].text else { throw damaged("an entity mapping has no name") }
    var mapping = EntityMapping(
      from: object["NSSourceEntityName"].text, to: object["NSDestinationEntityName"].text, name: name)
    let number = object["NSMappingType"].integer.flatMap { Int(exactly: $0) } ?? 0
    mapping.mappingType = EntityMapping.MappingType(rawValue: number) ?? .undefined
    mapping.attributeMappings = try properties(object["NSAttributeMappings"], &values)
    mapping.relationshipMappings = try properties(object["NSRelationshipMappings"], &values)
    if !object["NSSourceExpression"].isNull {
      mapping.sourceExpression = try ArchivedExpression(object["NSSourceExpression"])
    }
    mapping.entityMigrationPolicyClassName = object["NSEntityMigrationPolicyClassName"].text
    mapping.userInfo = try userInfo(object["NSUserInfo"], &values)
    mapping.sourceEntityVersionHash = object["NSSourceEntityVersionHash"].bytes
    mapping.destinationEntityVersionHash = object["NSDestinationEntityVersionHash"].bytes
    return mapping
  }

  private static func properties(
    _ value: ArchivedValue, _ values: inout FoundationValueReader
  ) throws -> [PropertyMapping] {
    try (value.object?.elements ?? []).map { element in
      guard let object = element.object, let name = object["NSDestinationPropertyName"].text else {
        throw damaged("a property mapping has no name")
      }
      let expression = object["NSValueExpression"]
      var property = PropertyMapping(name, expression.isNull ? nil : try ArchivedExpression(expression))
      property.userInfo = try userInfo(object["NSUserInfo"], &values)
      return property
    }
  }

  /// The entries whose key and value are text.
  private static func userInfo(
    _ value: ArchivedValue, _ values: inout FoundationValueReader
  ) throws -> [String: String] {
    guard !value.isNull, case .dictionary(let entries) = try values.read(value) else { return [:] }
    return entries.reduce(into: [:]) { result, entry in
      if case (.string(let key), .string(let text)) = (entry.key, entry.value) { result[key] = text }
    }
  }

  // MARK: Writing

  /// - Throws: `MappingModelError` for an expression that cannot be archived.
  static func data(_ model: MappingModel) throws(MappingModelError) -> Data {
    var writer = KeyedArchiveWriter()
    do {
      var mappings: [KeyedArchiveWriter.Reference] = []
      for mapping in model.entityMappings { mappings.append(try add(mapping, to: &writer)) }
      let names = model.entityMappings.map { writer.addString($0.name) }
      let byName = writer.addObject(
        ["NSDictionary", "NSObject"], ["NS.keys": .references(names), "NS.objects": .references(mappings)])
      let root = writer.addObject(
        ["NSMappingModel", "NSObject"],
        ["NSEntityMappings": array(mappings, &writer), "NSEntityMappingsByName": .reference(byName)])
      return try writer.data(root: root)
    } catch {
      throw MappingModelError(
        .unsupportedExpression, "the mapping model cannot be archived; change the expression", cause: error)
    }
  }

  private static func array(
    _ elements: [KeyedArchiveWriter.Reference], _ writer: inout KeyedArchiveWriter
  ) -> KeyedArchiveWriter.Value {
    .reference(writer.addObject(["NSArray", "NSObject"], ["NS.objects": .references(elements)]))
  }

  private static func text(_ text: String?, _ writer: inout KeyedArchiveWriter) -> KeyedArchiveWriter.Value {
    .reference(text.map { writer.addString($0) } ?? .null)
  }

  private static func data(
    _ data: Data?, _ writer: inout KeyedArchiveWriter
  ) throws(KeyedArchiveError) -> KeyedArchiveWriter.Value {
    guard let data else { return .reference(.null) }
    return .reference(try writer.add(.data(data)))
  }

  private static func userInfo(
    _ entries: [String: String], _ writer: inout KeyedArchiveWriter
  ) throws(KeyedArchiveError) -> KeyedArchiveWriter.Value {
    if entries.isEmpty { return .reference(.null) }
    let sorted = entries.sorted { $0.key < $1.key }
    return .reference(
      try writer.add(.dictionary(sorted.map { FoundationValue.Entry(.string($0.key), .string($0.value)) })))
  }

  private static func add(
    _ mapping: EntityMapping, to writer: inout KeyedArchiveWriter
  ) throws(KeyedArchiveError) -> KeyedArchiveWriter.Reference {
    let source = try expression(mapping.sourceExpression, &writer)
    let attributes = try properties(mapping.attributeMappings, &writer)
    let relationships = try properties(mapping.relationshipMappings, &writer)
    let values: [String: KeyedArchiveWriter.Value] = [
      "NSMappingName": text(mapping.name, &writer),
      "NSMappingType": .integer(Int64(mapping.mappingType.rawValue)),
      "NSSourceEntityName": text(mapping.sourceEntityName, &writer),
      "NSDestinationEntityName": text(mapping.destinationEntityName, &writer),
      "NSSourceEntityVersionHash": try data(mapping.sourceEntityVersionHash, &writer),
      "NSDestinationEntityVersionHash": try data(mapping.destinationEntityVersionHash, &writer),
      "NSSourceExpression": source, "NSAttributeMappings": attributes,
      "NSRelationshipMappings": relationships,
      "NSEntityMigrationPolicyClassName": text(mapping.entityMigrationPolicyClassName, &writer),
      "NSUserInfo": try userInfo(mapping.userInfo, &writer),
    ]
    return writer.addObject(["NSEntityMapping", "NSObject"], values)
  }

  private static func expression(
    _ expression: ArchivedExpression?, _ writer: inout KeyedArchiveWriter
  ) throws(KeyedArchiveError) -> KeyedArchiveWriter.Value {
    guard let expression else { return .reference(.null) }
    return .reference(try expression.add(to: &writer))
  }

  private static func properties(
    _ mappings: [PropertyMapping], _ writer: inout KeyedArchiveWriter
  ) throws(KeyedArchiveError) -> KeyedArchiveWriter.Value {
    var references: [KeyedArchiveWriter.Reference] = []
    for mapping in mappings {
      let values: [String: KeyedArchiveWriter.Value] = [
        "NSDestinationPropertyName": text(mapping.name, &writer),
        "NSValueExpression": try expression(mapping.valueExpression, &writer),
        "NSPropertyTransforms": .reference(.null), "NSUserInfo": try userInfo(mapping.userInfo, &writer),
      ]
      references.append(writer.addObject(["NSPropertyMapping", "NSObject"], values))
    }
    return array(references, &writer)
  }
}
