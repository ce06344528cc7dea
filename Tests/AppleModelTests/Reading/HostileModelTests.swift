import AppleModel
import Foundation
import KeyedArchive
import ObjectModel
import Testing

@Suite("Archived models that are damaged or hostile")
struct HostileModelTests {
  typealias Maker = ModelArchiveMaker

  @Test("what is no model is refused with words")
  func others() throws {
    #expect(Self.code { try AppleModel(archive: Data("momv2$srsr".utf8)) } == .optimizedForm)
    #expect(Self.code { try AppleModel(archive: Data("anything".utf8)) } == .notModel)
    #expect(Self.code { try AppleModel(modelCache: Data("anything".utf8)) } == .damaged)
    var maker = Maker()
    let list = try maker.writer.add(.array([]))
    let other = try maker.writer.data(root: list)
    #expect(Self.code { try AppleModel(archive: other) } == .notModel)
    #expect(
      Self.code { try AppleModel(archive: maker.archive([("E", maker.writer.addString("E"))])) } == .damaged)
    let nameless = maker.object("NSEntityDescription", [], [:])
    #expect(Self.code { try AppleModel(archive: maker.archive([("E", nameless)])) } == .damaged)
  }

  @Test("a model cache is a compressed archive")
  func modelCache() throws {
    var maker = Maker()
    let archive = try maker.archive([maker.entity("E", [maker.attribute("a", 700)])])
    let model = try AppleModel(modelCache: Deflate.deflate(archive))
    #expect(try model.declaration == AppleModel(archive: archive).declaration)
    #expect(model.declaration.entities.map(\.name) == ["E"])
  }

  @Test("a composite that contains itself, and shared ones that explode, are refused")
  func composites() throws {
    var maker = Maker()
    let name = "NSCompositeAttributeDescription"
    let circle = maker.attribute("a", 2100, className: name)
    maker.writer.set(maker.array([circle.1]), forKey: "NSCompositeElements", of: circle.1)
    #expect(Self.code { try AppleModel(archive: maker.archive([maker.entity("E", [circle])])) } == .damaged)
    let twice = maker.attribute("a", 700).1
    let double = maker.attribute(
      "d", 2100, ["NSCompositeElements": maker.array([twice, twice])], className: name)
    #expect(Self.code { try AppleModel(archive: maker.archive([maker.entity("E", [double])])) } == .damaged)
    var next = maker.attribute("a", 700)
    for _ in 0..<25 {
      next = maker.attribute(
        "a", 2100, ["NSCompositeElements": maker.array([next.1, next.1])], className: name)
    }
    #expect(Self.code { try AppleModel(archive: maker.archive([maker.entity("E", [next])])) } == .damaged)
  }

  @Test("entities that inherit from themselves are the model check's to refuse")
  func inheritance() throws {
    var maker = Maker()
    let entity = maker.entity("E", [])
    maker.writer.set(.reference(entity.1), forKey: "NSSuperentity", of: entity.1)
    let model = try AppleModel(archive: maker.archive([entity]))
    #expect(throws: ModelError.self) { try model.managedObjectModel() }
  }

  @Test("any byte changed gives a model or an error")
  func mangled() throws {
    var maker = Maker()
    let lengths = try maker.comparison(maker.keyPath("length"), 3, maker.constantExpression(.integer(3)))
    let properties = [
      maker.attribute("name", 700, ["NSValidationPredicates": maker.array([lengths])]),
      maker.relationship("next", to: "E", ["NSMaxCount": .integer(0)]),
      maker.attribute(
        "c", 2100, ["NSCompositeElements": maker.array([maker.attribute("x", 300).1])],
        className: "NSCompositeAttributeDescription"),
    ]
    let data = try maker.archive([maker.entity("E", properties)])
    for position in stride(from: 0, to: data.count, by: 5) {
      for byte: UInt8 in [0, 0x12, 0x80, 0xA2] {
        var mangled = data
        mangled[position] = byte
        _ = try? AppleModel(archive: mangled).managedObjectModel()
      }
    }
  }

  private static func code(_ read: () throws -> AppleModel) -> AppleModelError.Code? {
    do {
      _ = try read()
      return nil
    } catch { return (error as? AppleModelError)?.code }
  }
}
