import Foundation
import MappingModels
import MigrationPlace
import Strongroom
import Testing

@Suite("Mapping models are read and written as Xcode does")
struct MappingModelFileTests {
  private func sample() throws -> MappingModel {
    var mapping = Library.mapping(bookPolicy: "Library.BookPolicy")
    mapping.entityMappings[0].sourceFilter = "kind == \"<essay>\" AND pages > 3"
    mapping.entityMappings[1].name = "Novels"
    mapping.entityMappings[2].attributeMappings[0].generatesExpression = false
    mapping.entityMappings.append(EntityMapping(from: "Note", to: nil))
    mapping.sourceModelPath = "Shop & Library/Library 1.xcdatamodel"
    mapping.destinationModelData = Data([1, 2, 3, 255])
    for index in mapping.entityMappings.indices {
      mapping.entityMappings[index].attributeMappings.sort { $0.name < $1.name }
      mapping.entityMappings[index].relationshipMappings.sort { $0.name < $1.name }
    }
    return mapping
  }

  @Test("a bundle that is written and read again is equal")
  func bundle() throws {
    let place = try MigrationPlace()
    let url = place.url.deletingLastPathComponent().appendingPathComponent("Library.xcmappingmodel")
    let mapping = try sample()
    try mapping.write(xcmappingmodel: url)
    #expect(try MappingModel(contentsOf: url) == mapping)
    #expect(try MappingModel(contentsOf: url.appendingPathComponent("xcmapping.xml")) == mapping)
    #expect(try MappingModel(contentsOf: url).xcmappingContents() == mapping.xcmappingContents())
  }

  @Test("the compiled form has every expression, and is read as what was generated")
  func compiled() throws {
    let mapping = try sample()
    var whole = try mapping.generatingExpressions(from: Library.old(), to: Library.new())
    let data = try mapping.compiled(from: Library.old(), to: Library.new())
    (whole.sourceModelPath, whole.destinationModelData) = (nil, nil)
    #expect(try MappingModel(data) == whole)
    whole.entityMappings[0].userInfo = ["note": "kept"]
    whole.entityMappings[0].attributeMappings[0].userInfo = ["key": "value"]
    whole.entityMappings[0].sourceEntityVersionHash = Data(repeating: 7, count: 32)
    #expect(try MappingModel(whole.compiled(from: Library.old(), to: Library.new())) == whole)
  }

  /// As an editor writes it: with an object that nothing refers to, numbers that give the order, and
  /// an empty policy.
  private static let editors = """
    <?xml version="1.0" standalone="no"?>
    <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
    <database>
        <databaseInfo><version>134481920</version><nextObjectID>110</nextObjectID></databaseInfo>
        <object type="XDDEVATTRIBUTEMAPPING" id="z105">
            <attribute name="name" type="string">unused</attribute>
        </object>
        <object type="XDDEVENTITYMAPPING" id="z102">
            <attribute name="sourcename" type="string">Book</attribute>
            <attribute name="mappingtypename" type="string">Undefined</attribute>
            <attribute name="mappingnumber" type="int16">2</attribute>
            <attribute name="destinationname" type="string">Book</attribute>
            <attribute name="migrationpolicyclassname" type="string"></attribute>
            <attribute name="autogenerateexpression" type="bool">1</attribute>
            <relationship name="mappingmodel" type="1/1" destination="XDDEVMAPPINGMODEL"
                idrefs="z101"></relationship>
            <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING"
                idrefs="z104 z103"></relationship>
            <relationship name="relationshipmappings" type="0/0"
                destination="XDDEVRELATIONSHIPMAPPING"></relationship>
        </object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z104">
            <attribute name="name" type="string">title</attribute>
        </object>
        <object type="XDDEVATTRIBUTEMAPPING" id="z103">
            <attribute name="valueexpressiondata" type="binary">EXPRESSION
    </attribute>
            <attribute name="name" type="string">pageCount</attribute>
        </object>
        <object type="XDDEVENTITYMAPPING" id="z106">
            <attribute name="mappingnumber" type="int16">1</attribute>
            <attribute name="destinationname" type="string">Genre</attribute>
        </object>
        <object type="XDDEVMAPPINGMODEL" id="z101">
            <attribute name="sourcemodelpath" type="string">Library.xcdatamodel</attribute>
            <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING"
                idrefs="z102 z106"></relationship>
        </object>
    </database>
    """

  @Test("what the editor leaves behind is left out, and numbers give the order")
  func leftovers() throws {
    let archive = try ArchivedExpression.source("pages").archive().base64EncodedString()
    let text = Self.editors.replacingOccurrences(of: "EXPRESSION", with: archive)
    let mapping = try MappingModel(Data(text.utf8))
    #expect(mapping.entityMappings.map(\.name) == ["Genre", "BookToBook"])
    #expect(mapping.policyClassNames.isEmpty)
    #expect(
      mapping.entityMappings[1].attributeMappings
        == [generated(PropertyMapping("pageCount", .source("pages"))), .generated("title")])
    #expect(mapping.sourceModelPath == "Library.xcdatamodel")
  }

  private func generated(_ mapping: PropertyMapping) -> PropertyMapping {
    var mapping = mapping
    mapping.generatesExpression = true
    return mapping
  }

  @Test("files that are no mapping model, or a damaged or hostile one, are refused with the reason")
  func refusals() throws {
    let place = try MigrationPlace()
    func code(_ text: String) -> MappingModelError.Code? { code(Data(text.utf8)) }
    func code(_ data: Data) -> MappingModelError.Code? {
      do {
        _ = try MappingModel(data)
        return nil
      } catch { return error.code }
    }
    #expect(code("") == .notMappingModel)
    #expect(code("<model/>") == .notMappingModel)
    #expect(code("<database></database>") == .notMappingModel)
    #expect(code(Self.editors) == .damaged, "an expression that is no archive")
    #expect(code(Self.editors.replacingOccurrences(of: "EXPRESSION", with: "")) == nil)
    #expect(code(Self.editors.replacingOccurrences(of: "z104 z103", with: "z104 z106")) == .damaged)
    let bomb = "<!DOCTYPE database SYSTEM \"x\" [<!ENTITY a \"b\">]><database>&a;</database>"
    #expect(code(bomb) == .damaged)
    #expect(code(try ArchivedExpression.source("a").archive()) == .notMappingModel)
    #expect(code(Data("bplist00".utf8)) == .damaged)
    #expect(throws: MappingModelError.self) {
      try MappingModel(contentsOf: place.url.deletingLastPathComponent().appendingPathComponent("none.cdm"))
    }
  }
}
