import AppleModel
import Foundation
import KeyedArchive
import ObjectModel

/// Writes what `MappingModelReader` reads: a mapping model read back is equal.
struct MappingModelWriter {
  private let model: MappingModel
  /// The editor begins above a hundred.
  private var nextIdentifier = 101

  init(_ model: MappingModel) { self.model = model }

  /// - Throws: `MappingModelError` for an expression that cannot be archived.
  mutating func data() throws(MappingModelError) -> Data {
    var objects = ""
    var entities: [String] = []
    let root = newIdentifier()
    for (place, mapping) in model.entityMappings.enumerated() {
      let own = newIdentifier()
      entities.append(own)
      objects += try entityMapping(mapping, own, root, number: place + 1)
    }
    objects += Self.object(
      "XDDEVMAPPINGMODEL", root,
      Self.attribute("sourcemodelpath", "string", model.sourceModelPath)
        + Self.attribute("sourcemodeldata", "binary", model.sourceModelData?.base64EncodedString())
        + Self.attribute("destinationmodelpath", "string", model.destinationModelPath)
        + Self.attribute("destinationmodeldata", "binary", model.destinationModelData?.base64EncodedString())
        + Self.relationship("entitymappings", "0/0", "XDDEVENTITYMAPPING", entities))
    return Data((head + objects + "</database>\n").utf8)
  }

  private mutating func newIdentifier() -> String {
    nextIdentifier += 1
    return "z\(nextIdentifier)"
  }

  private mutating func entityMapping(
    _ mapping: EntityMapping, _ own: String, _ root: String, number: Int
  ) throws(MappingModelError) -> String {
    var properties = ""
    var identifiers: [[String]] = [[], []]
    for (list, mappings) in [mapping.attributeMappings, mapping.relationshipMappings].enumerated() {
      for property in mappings {
        let identifier = newIdentifier()
        identifiers[list].append(identifier)
        properties += try propertyMapping(property, identifier, own, mapping, isRelationship: list == 1)
      }
    }
    let usual = EntityMapping.usualName(from: mapping.sourceEntityName, to: mapping.destinationEntityName)
    return properties
      + Self.object(
        "XDDEVENTITYMAPPING", own,
        Self.attribute("name", "string", mapping.name == usual ? nil : mapping.name)
          + Self.attribute("migrationpolicyclassname", "string", mapping.entityMigrationPolicyClassName)
          + Self.attribute("sourcename", "string", mapping.sourceEntityName)
          + Self.attribute("sourcefilterpredicatestring", "string", mapping.sourceFilter)
          + Self.attribute("mappingtypename", "string", "Undefined")
          + Self.attribute("mappingnumber", "int16", String(number))
          + Self.attribute("destinationname", "string", mapping.destinationEntityName)
          + Self.attribute("autogenerateexpression", "bool", "1")
          + Self.relationship("mappingmodel", "1/1", "XDDEVMAPPINGMODEL", [root])
          + Self.relationship("attributemappings", "0/0", "XDDEVATTRIBUTEMAPPING", identifiers[0])
          + Self.relationship("relationshipmappings", "0/0", "XDDEVRELATIONSHIPMAPPING", identifiers[1]))
  }

  private func propertyMapping(
    _ property: PropertyMapping, _ identifier: String, _ entity: String, _ mapping: EntityMapping,
    isRelationship: Bool
  ) throws(MappingModelError) -> String {
    var archive: Data?
    do {
      archive = try property.valueExpression?.archive()
    } catch {
      throw MappingModelError(
        .unsupportedExpression,
        "the expression of \(mapping.name).\(property.name) cannot be written; change it", cause: error)
    }
    let flag = property.generatesExpression ? isRelationship ? "1" : nil : "0"
    return Self.object(
      isRelationship ? "XDDEVRELATIONSHIPMAPPING" : "XDDEVATTRIBUTEMAPPING", identifier,
      Self.attribute("valueexpressiondata", "binary", archive?.base64EncodedString())
        + Self.attribute("sourcemappingname", "string", property.sourceMappingName)
        + Self.attribute("sourcekeypath", "string", property.sourceKeyPath)
        + Self.attribute("autogenerateexpression", "bool", flag)
        + Self.attribute("name", "string", property.name)
        + Self.relationship("entitymapping", "1/1", "XDDEVENTITYMAPPING", [entity]))
  }

  // MARK: Elements

  private static func object(_ type: String, _ identifier: String, _ contents: String) -> String {
    "    <object type=\"\(type)\" id=\"\(identifier)\">\n\(contents)    </object>\n"
  }

  private static func attribute(_ name: String, _ type: String, _ value: String?) -> String {
    guard let value else { return "" }
    return "        <attribute name=\"\(name)\" type=\"\(type)\">\(value.xmlEscaped)</attribute>\n"
  }

  private static func relationship(
    _ name: String, _ type: String, _ destination: String, _ identifiers: [String]
  ) -> String {
    let references = identifiers.isEmpty ? "" : " idrefs=\"\(identifiers.joined(separator: " "))\""
    return
      "        <relationship name=\"\(name)\" type=\"\(type)\" destination=\"\(destination)\"\(references)>"
      + "</relationship>\n"
  }

  /// The version hashes of the editor's own entities, by which it knows the file.
  private static let hashes = [
    ("XDDevAttributeMapping", "0plcXXRN7XHKl5CcF+fwriFmUpON3ZtcI/AfK748aWc="),
    ("XDDevEntityMapping", "qeN1Ym3TkWN1G6dU9RfX6Kd2ccEvcDVWHpd3LpLgboI="),
    ("XDDevMappingModel", "EqtMzvRnVZWkXwBHu4VeVGy8UyoOe+bi67KC79kphlQ="),
    ("XDDevPropertyMapping", "XN33V44TTGY4JETlMoOB5yyTKxB+u4slvDIinv0rtGA="),
    ("XDDevRelationshipMapping", "akYY9LhehVA/mCb4ATLWuI9XGLcjpm14wWL1oEBtIcs="),
  ]

  private var head: String {
    let hashes = Self.hashes.map { "<key>\($0.0)</key><data>\($0.1)</data>" }
    return """
      <?xml version="1.0" standalone="yes"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

      <database>
          <databaseInfo>
              <version>134481920</version>
              <UUID>00000000-0000-0000-0000-000000000000</UUID>
              <nextObjectID>\(nextIdentifier + 1)</nextObjectID>
              <metadata>
                  <plist version="1.0"><dict>
                      <key>NSPersistenceFrameworkVersion</key><integer>640</integer>
                      <key>NSStoreModelVersionHashes</key>
                      <dict>\(hashes.joined())</dict>
                      <key>NSStoreModelVersionHashesVersion</key><integer>3</integer>
                      <key>NSStoreModelVersionIdentifiers</key><array><string></string></array>
                  </dict></plist>
              </metadata>
          </databaseInfo>

      """
  }
}
