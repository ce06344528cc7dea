import Foundation
import KeyedArchive
import Testing

@Suite("Keyed archives")
struct KeyedArchiveTests {
  /// A dictionary that contains itself, written by Python's plistlib.
  static let circular = """
    YnBsaXN0MDDUAQIDBAUGHB9ZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKmBwgTFBUbVSRu\
    dWxs0wkKCwwNEFYkY2xhc3NXTlMua2V5c1pOUy5vYmplY3RzgASiDg+AAoAFohESgAOAAVRuYW1lU0FkYdIWFxgZWCRjbGFzc2VzWiRj\
    bGFzc25hbWWiGRpcTlNEaWN0aW9uYXJ5WE5TT2JqZWN0VHNlbGbRHR5Ucm9vdIABEgABhqAIERskKTJES1FYX2dydHd5e36AgoeLkJmk\
    p7S9wsXKzAAAAAAAAAEBAAAAAAAAACAAAAAAAAAAAAAAAAAAAADR
    """

  @Test("an object that contains itself is followed as far as is asked")
  func cycle() throws {
    let archive = try KeyedArchive(try #require(Data(base64Encoded: Self.circular)))
    let root = try #require(archive.root.object)
    #expect(archive.keys == ["root"] && archive.objectCount == 6 && root.className == "NSDictionary")
    #expect(root.classNames == ["NSDictionary", "NSObject"] && root.keys == ["NS.keys", "NS.objects"])
    let entries = try #require(root.entries)
    #expect(entries.map(\.key.text) == ["name", "self"] && entries[0].value == .string("Ada"))
    #expect(entries[1].value.object == root)
    #expect(throws: KeyedArchiveError.self) { try FoundationValue(archive.root) }
  }

  @Test("objects that refer to each other are written and read")
  func graph() throws {
    var writer = KeyedArchiveWriter()
    let chain = ["Parent", "Thing", "NSObject"]
    let parent = writer.addObject(chain)
    let child = writer.addObject(
      ["Child", "NSObject"], ["parent": .reference(parent), "count": .integer(3)])
    writer.set(.references([child, .null]), forKey: "children", of: parent)
    writer.set(.boolean(true), forKey: "flag", of: parent)
    writer.set(.real(0.5), forKey: "share", of: parent)
    writer.set(.data(Data([1])), forKey: "bytes", of: parent)
    writer.set(.reference(writer.addString("Name")), forKey: "name", of: parent)
    writer.set(.reference(.null), forKey: "nothing", of: parent)
    let archive = try KeyedArchive(writer.data(root: parent))
    let root = try #require(archive.root.object)
    #expect(root.classNames == chain && root.isKind(of: "Thing") && !root.isKind(of: "Child"))
    #expect(root["flag"].flag == true && root["share"] == .real(0.5) && root["bytes"].bytes == Data([1]))
    #expect(root["name"].text == "Name" && root["nothing"].isNull && root.contains("nothing"))
    #expect(!root.contains("other") && root["other"].isNull && !root.contains("$class"))
    guard case .list(let children) = root["children"] else {
      Issue.record("no list")
      return
    }
    #expect(children.count == 2 && children[1].isNull && children[0].object?["parent"].object == root)
    #expect(children[0].object?["count"].integer == 3)
    let other = try KeyedArchive(writer.data(top: ["a": parent, "b": child]))
    #expect(other.keys == ["a", "b"] && other.root.isNull && other["b"].object?.className == "Child")
    #expect(other["a"].object != root, "archives do not share objects")
    #expect(throws: KeyedArchiveError.self) { try KeyedArchiveWriter().data(root: parent) }
  }

  @Test("a dictionary with known keys leaves out keys without a value")
  func knownKeys() throws {
    var writer = KeyedArchiveWriter()
    let keys = try writer.add(.array([.string("A"), .string("B"), .string("C")]))
    let strategy = writer.addObject(
      ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy", "NSObject"],
      ["keys": .reference(keys), "length": .integer(3)])
    let values = try writer.add(.array([.integer(1), .string("empty"), .integer(3)]))
    let root = writer.addObject(
      ["NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary", "NSObject"],
      [
        "searchMapping": .reference(strategy), "values": .reference(values),
        "emptyToken": .reference(writer.addString("empty")),
      ])
    let value = try FoundationValue(KeyedArchive(writer.data(root: root)).root)
    #expect(value == .dictionary([.init(.string("A"), .integer(1)), .init(.string("C"), .integer(3))]))
  }

  @Test("what is no keyed archive, or refers to nothing, is refused")
  func damaged() throws {
    let good: [String: PropertyListValue] = [
      "$archiver": .string("NSKeyedArchiver"), "$version": .integer(100_000),
      "$top": .dictionary(["root": .uid(1)]),
      "$objects": .array([.string("$null"), .string("text")]),
    ]
    #expect(try Self.code(good) == nil)
    let object: [String: PropertyListValue] = ["$class": .uid(2)]
    let classes = PropertyListValue.dictionary(["$classname": .string("A")])
    func objects(_ others: [PropertyListValue]) -> [String: PropertyListValue] {
      good.merging(["$objects": .array([.string("$null")] + others)]) { $1 }
    }
    #expect(try Self.code(objects([.dictionary(object), classes])) == nil)
    let wrong: [([String: PropertyListValue], KeyedArchiveError.Code)] = [
      ([:], .notKeyedArchive), (good.merging(["$archiver": .string("Other")]) { $1 }, .notKeyedArchive),
      (good.merging(["$objects": .array([])]) { $1 }, .damaged),
      (good.merging(["$top": .dictionary(["root": .uid(7)])]) { $1 }, .damaged),
      (objects([.dictionary(object)]), .damaged), (objects([.dictionary([:])]), .damaged),
      (objects([.array([])]), .damaged), (objects([.uid(1)]), .damaged),
      (objects([classes]), .damaged),
      (objects([.dictionary(["$class": .uid(1)])]), .damaged),
      (objects([.dictionary(object.merging(["a": .uid(2)]) { $1 }), classes]), .damaged),
      (objects([.dictionary(object.merging(["a": .array([.uid(9)])]) { $1 }), classes]), .damaged),
      (objects([.dictionary(object.merging(["a": .dictionary([:])]) { $1 }), classes]), .unsupportedValue),
      (objects([.dictionary(object), .dictionary(["$classname": .integer(1)])]), .damaged),
    ]
    for (values, code) in wrong { #expect(try Self.code(values) == code) }
  }

  private static func code(_ values: [String: PropertyListValue]) throws -> KeyedArchiveError.Code? {
    let data = try PropertyListValue.dictionary(values).binaryPropertyList()
    do {
      _ = try KeyedArchive(data)
      return nil
    } catch { return error.code }
  }
}
