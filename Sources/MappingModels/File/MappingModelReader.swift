import AppleModel
import Foundation
import KeyedArchive

/// Turns the objects of an `xcmapping.xml` into a mapping model.
///
/// The editor leaves objects behind that nothing refers to, so they are found from the mapping model
/// on. The order of the mappings is that of their numbers, and properties are sorted by name, as
/// Xcode compiles them.
struct MappingModelReader {
  private let objects: [String: MappingModelDocument.Object]

  init(_ document: MappingModelDocument) { objects = document.objects }

  func read() throws(MappingModelError) -> MappingModel {
    let roots = objects.values.filter { $0.type == "XDDEVMAPPINGMODEL" }
    guard let root = roots.first, roots.count == 1 else {
      throw MappingModelError(
        .notMappingModel, "the file holds \(roots.count) mapping models, where one is expected; save it again"
      )
    }
    var numbered: [(number: Int, mapping: EntityMapping)] = []
    for object in try related("entitymappings", of: root, "XDDEVENTITYMAPPING") {
      numbered.append(
        (object.attributes["mappingnumber"].flatMap { Int($0) } ?? 0, try entityMapping(object)))
    }
    // By name where the numbers are equal, since the order of identifiers means nothing.
    numbered.sort { ($0.number, $0.mapping.name) < ($1.number, $1.mapping.name) }
    var model = MappingModel(numbered.map(\.mapping))
    model.sourceModelPath = text("sourcemodelpath", root)
    model.destinationModelPath = text("destinationmodelpath", root)
    model.sourceModelData = try data("sourcemodeldata", root)
    model.destinationModelData = try data("destinationmodeldata", root)
    return model
  }

  private func related(
    _ name: String, of object: MappingModelDocument.Object, _ type: String
  ) throws(MappingModelError) -> [MappingModelDocument.Object] {
    var result: [MappingModelDocument.Object] = []
    for identifier in object.relationships[name] ?? [] {
      guard let related = objects[identifier], related.type == type else {
        throw MappingModelError(
          .damaged, "the mapping model refers to an object in \(name) that it does not have; save it again")
      }
      result.append(related)
    }
    return result
  }

  /// Empty text stands for none.
  private func text(_ name: String, _ object: MappingModelDocument.Object) -> String? {
    object.attributes[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func data(
    _ name: String, _ object: MappingModelDocument.Object
  ) throws(MappingModelError) -> Data? {
    let text = object.attributes[name]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    if text.isEmpty { return nil }
    guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
      throw MappingModelError(.damaged, "\(name) of the mapping model is not Base64; save it again")
    }
    return data
  }

  private func entityMapping(
    _ object: MappingModelDocument.Object
  ) throws(MappingModelError) -> EntityMapping {
    var mapping = EntityMapping(
      from: text("sourcename", object), to: text("destinationname", object), name: text("name", object))
    mapping.sourceFilter = text("sourcefilterpredicatestring", object)
    mapping.entityMigrationPolicyClassName = text("migrationpolicyclassname", object)
    for (list, type) in [
      ("attributemappings", "XDDEVATTRIBUTEMAPPING"), ("relationshipmappings", "XDDEVRELATIONSHIPMAPPING"),
    ] {
      var properties: [PropertyMapping] = []
      for property in try related(list, of: object, type) {
        properties.append(try propertyMapping(property, of: mapping.name))
      }
      properties.sort { $0.name < $1.name }
      if list == "attributemappings" {
        mapping.attributeMappings = properties
      } else {
        mapping.relationshipMappings = properties
      }
    }
    return mapping
  }

  private func propertyMapping(
    _ object: MappingModelDocument.Object, of mapping: String
  ) throws(MappingModelError) -> PropertyMapping {
    guard let name = text("name", object) else {
      throw MappingModelError(.damaged, "\(mapping) maps a property without a name; save it again")
    }
    var property = PropertyMapping.generated(
      name, sourceKeyPath: text("sourcekeypath", object),
      sourceMappingName: text("sourcemappingname", object))
    property.generatesExpression = object.attributes["autogenerateexpression"] != "0"
    guard let archive = try data("valueexpressiondata", object) else { return property }
    do {
      property.valueExpression = try ArchivedExpression(archive: archive)
    } catch {
      throw MappingModelError(
        .damaged, "the expression of \(mapping).\(name) cannot be read; save the mapping model again",
        cause: error)
    }
    return property
  }
}
