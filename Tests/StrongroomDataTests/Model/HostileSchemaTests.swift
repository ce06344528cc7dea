import Foundation
import Testing

@testable import StrongroomData

@Suite("Damaged and hostile coded schemas")
struct HostileSchemaTests {
  private static func text(_ schema: Schema) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(schema), as: UTF8.self)
  }

  /// What a text is refused with: nil where it is a schema that makes a model.
  private static func refusal(_ text: String) -> (any Error)? {
    do {
      _ = try Schema.ofContainer(try JSONDecoder().decode(Schema.self, from: Data(text.utf8)), or: [])
        .managedObjectModel()
      return nil
    } catch { return error }
  }

  private static func isTyped(_ error: (any Error)?) -> Bool {
    error == nil || error is DecodingError || (error as? SwiftDataError) == .unknownSchema
  }

  @Test("Each byte of a coded schema may be another, and no error is of another type")
  func changedBytes() throws {
    let bytes = Array(try Self.text(SchemaByHandTests.byHand()).utf8)
    var refusals = 0
    for place in stride(from: 0, to: bytes.count, by: 3) {
      for byte in [bytes[place] ^ 1, UInt8(ascii: "0"), UInt8(ascii: "S")] where byte != bytes[place] {
        var changed = bytes
        changed[place] = byte
        let error = Self.refusal(String(decoding: changed, as: UTF8.self))
        #expect(Self.isTyped(error), "byte \(place) as \(byte): \(String(describing: error))")
        if error != nil { refusals += 1 }
      }
    }
    #expect(refusals > bytes.count / 2)
  }

  @Test(
    "Names of types that a compiler does not write are refused",
    arguments: [
      "", "\\u0001\\u0000\\u0000\\u0000\\u0000", "\\u0002abcd", "Si\\u0000", "4Größe", "yp", "Sg", "_p",
      String(repeating: "Say", count: 1500), String(repeating: "Say", count: 300) + "Si", "10000000000000Ab",
      "$sSi", "SiSgSgSgSg", "y", "Xx",
    ])
  func typeNames(_ name: String) throws {
    let text = try Self.text(
      Schema(Schema.Entity("One", properties: Schema.Attribute(name: "a", valueType: Int.self))))
    let changed = text.replacingOccurrences(of: #""valueType":"Si""#, with: #""valueType":"\#(name)""#)
    #expect(changed != text)
    let error = Self.refusal(changed)
    #expect(Self.isTyped(error) && (error != nil || name == "SiSgSgSgSg"))
  }

  private func entity(_ name: String, _ members: String = "", superentity: String? = nil) -> String {
    let parent = superentity.map { #","superentityName":"\#($0)""# } ?? ""
    return #"{"name":"\#(name)","properties":[],"subentities":[],"uniquenessConstraints":[]"#
      + #","indices":[]\#(parent)\#(members)}"#
  }

  private func schema(_ entities: String...) -> String {
    #"{"version":{"major":1,"minor":0,"patch":0},"entities":[\#(entities.joined(separator: ","))]}"#
  }

  @Test("Circles of superentities, lacking ones and equal names are refused")
  func circles() throws {
    #expect(Self.refusal(schema(entity("A"), entity("B", superentity: "A"))) == nil)
    let circle = schema(entity("A", superentity: "B"), entity("B", superentity: "A"))
    #expect((Self.refusal(circle) as? SwiftDataError)?.message.contains("inherits from itself") == true)
    for text in [
      schema(entity("A", superentity: "A")), schema(entity("A"), entity("A")), schema(entity("")),
      schema(entity("A", superentity: "Absent")), schema(entity("\\u0007")),
    ] {
      #expect((Self.refusal(text) as? SwiftDataError) == .unknownSchema)
    }
    let read = try JSONDecoder().decode(Schema.self, from: Data(circle.utf8))
    #expect(read.entities.filter { $0.superentity == nil }.count == 1)
    #expect(read.entities.allSatisfy { $0.properties.isEmpty })
    let again = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(read))
    #expect(again.entities.count == 2)
  }

  @Test("Entities that are their own superentities make no model, and no circle of calls")
  func circlesOfObjects() throws {
    let (one, other) = (Schema.Entity("One"), Schema.Entity("Other"))
    one.superentity = other
    other.superentity = one
    #expect(one.properties.isEmpty && one != other)
    #expect(throws: SwiftDataError.unknownSchema) { try Schema(one, other).managedObjectModel() }
    one.superentity = nil
    other.superentity = nil
    one.subentities = [one]
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(one) }
    one.subentities = []
  }

  @Test("Counts, indexes and constraints that make no sense are refused")
  func members() throws {
    let text = try Self.text(SchemaByHandTests.byHand())
    for (old, new) in [
      (#""minimumModelCount":0"#, #""minimumModelCount":-1"#),
      (#""maximumModelCount":0"#, #""maximumModelCount":-9"#),
      (#"["row","place"]"#, #"["row","absent"]"#), (#""names":["row"]"#, #""names":["row","gone"]"#),
      (#""destination":"Item""#, #""destination":"Shelf""#),
      (#""inverseName":"items""#, #""inverseName":"none""#),
      (#""defaultValue":3"#, #""defaultValue":"three""#),
      (#""deleteRule":"cascade""#, #""deleteRule":"all""#),
      (#""major":1"#, #""major":"one""#), (#""kind":"index""#, #""kind":"spatial""#),
      (#""encodingVersion":{"major":1"#, #""encodingVersion":{"major":2"#),
    ] {
      let changed = text.replacingOccurrences(of: old, with: new)
      #expect(changed != text, "\(old)")
      let error = Self.refusal(changed)
      #expect(error != nil && Self.isTyped(error), "\(new): \(String(describing: error))")
    }
    #expect(Self.refusal(text) == nil)
  }
}
