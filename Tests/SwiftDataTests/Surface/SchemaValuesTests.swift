// The values that a schema is made of: what they say, and that they are compared, coded and sent.

import Foundation
import SwiftData
import Testing

@Suite("Values of schemas")
struct SchemaValuesTests {
  @Test("A version has three numbers, which order it")
  func versions() throws {
    let version = Schema.Version(2, 1, 3)
    #expect(version.major == 2 && version.minor == 1 && version.patch == 3)
    #expect(version.description == "2.1.3")
    let described: any CustomStringConvertible = Schema.Version(10, 0, 1)
    #expect("\(described)" == "10.0.1")
    try expectHashed(Schema.Version(2, 1, 3) as any Hashable, version, Schema.Version(2, 3, 1))
    try expectOrdered(Schema.Version(2, 1, 3) as any Comparable, Schema.Version(2, 1, 10))
    try expectOrdered(Schema.Version(2, 9, 9) as any Comparable, Schema.Version(3, 0, 0))
    #expect(try coded(Schema.Version(2, 1, 3) as any Codable) as? Schema.Version == version)
  }

  @Test("Schemas are equal by classes and version, and are coded and sent")
  func schemas() async throws {
    let schema = Schema([Trawler.self, Harbor.self], version: .init(1, 2, 0))
    let same = Schema([Harbor.self, Mooring.self], version: .init(1, 2, 0))
    try expectHashed(
      Schema([Harbor.self], version: schema.version) as any Hashable, same, Schema(Orchard.self))
    #expect(schema != Schema([Harbor.self], version: .init(2, 0, 0)))
    #expect(try coded(Schema([Harbor.self], version: schema.version) as any Codable) as? Schema == schema)
    let other = await sent(Schema([Harbor.self], version: schema.version) as any Sendable)
    #expect(other as? Schema == schema)
    let shown: any CustomDebugStringConvertible = Schema([Mooring.self], version: schema.version)
    #expect(shown.debugDescription.hasPrefix("Schema 1.2.0: Mooring"))
    #expect(schema.debugDescription.contains("Harbor") && schema.debugDescription.contains("Trawler"))
  }

  @Test("Entities are equal by names and properties, and are coded")
  func entities() throws {
    func length() -> Schema.Attribute { Schema.Attribute(name: "length", valueType: Int.self) }
    let pier = Schema.Entity("Pier", properties: length())
    let longer = Schema.Entity(
      "Pier", properties: length(), Schema.Attribute(name: "depth", valueType: Int.self))
    try expectHashed(Schema.Entity("Pier", properties: length()) as any Hashable, pier, longer)
    #expect(pier != Schema.Entity("Quay", properties: length()))
    let read = try coded(Schema.Entity("Pier", properties: length()) as any Codable)
    #expect((read as? Schema.Entity)?.attributesByName["length"]?.isOptional == false)
    #expect(read as? Schema.Entity == pier)
    let shown: any CustomDebugStringConvertible = Schema.Entity("Pier", properties: length())
    #expect(shown.debugDescription == "Entity Pier: length")
  }

  @Test("An attribute says what it is, and is compared and coded with its options")
  func attributes() throws {
    let length = Schema.Attribute(name: "length", options: [.unique], valueType: Int?.self)
    #expect(length.isAttribute && !length.isRelationship && length.isUnique && length.isOptional)
    let plain = Schema.Attribute(name: "length", valueType: Int?.self)
    func same() -> Schema.Attribute { Schema.Attribute(name: "length", valueType: Int?.self) }
    try expectHashed(Schema.Attribute(name: "length", valueType: Int?.self) as any Hashable, plain, length)
    #expect(try coded(same() as Schema.Attribute as any Codable) as? Schema.Attribute == plain)
    let property: any SchemaProperty = Schema.Attribute(
      name: "length", originalName: "size", valueType: Int.self)
    #expect(property.isAttribute && !property.isRelationship && !property.isTransient && !property.isOptional)
    #expect(property.name == "length" && property.originalName == "size" && property.valueType == Int.self)
    let shown: any CustomDebugStringConvertible = Schema.Attribute(name: "length", valueType: Int.self)
    #expect(shown.debugDescription.contains("length") && shown.debugDescription.contains("Int"))
  }

  @Test("A composite attribute is coded with the attributes of its value")
  func composites() throws {
    let place = Schema.CompositeAttribute(name: "place", valueType: Tree.Spot.self)
    place.properties = [Schema.Attribute(name: "row", originalName: "line", valueType: Int.self)]
    let read = try coded(place as Schema.CompositeAttribute as any Codable) as? Schema.CompositeAttribute
    #expect(read == place && read?.properties.first?.originalName == "line")
    #expect(read?.valueType == Tree.Spot.self && read !== place)
  }

  @Test("Options of attributes are equal by what they say")
  func attributeOptions() throws {
    typealias Option = Schema.Attribute.Option
    try expectHashed(Schema.Attribute.Option.unique as any Hashable, Option.unique, Option.ephemeral)
    try expectHashed(
      Schema.Attribute.Option.transformable(by: "A") as any Hashable, Option.transformable(by: "A"),
      Option.transformable(by: "B"))
    for option in [Option.unique, .externalStorage, .spotlight, .transformable(by: "BadgeColorTransformer")] {
      #expect(try coded(option as Schema.Attribute.Option as any Codable) as? Option == option)
    }
    let shown: any CustomDebugStringConvertible = Schema.Attribute.Option.externalStorage
    #expect(shown.debugDescription == "externalStorage")
  }
}
