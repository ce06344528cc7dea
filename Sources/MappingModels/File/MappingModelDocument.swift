import Foundation
import FoundationXML
import ObjectModel

/// The objects of an `xcmapping.xml`, which is an XML store of Core Data: attributes as text, and
/// the identifiers of related objects.
final class MappingModelDocument: NSObject, XMLParserDelegate {
  /// One object.
  struct Object {
    let type: String
    var attributes: [String: String] = [:]
    var relationships: [String: [String]] = [:]
  }

  /// By identifier.
  private(set) var objects: [String: Object] = [:]
  private var identifier = ""
  private var object: Object?
  private var attribute: String?
  private var text = ""
  private var depth = 0
  private var isDatabase = false
  private var failure: String?
  static let largestFile = 64 << 20

  /// - Throws: `MappingModelError`: `notMappingModel`, `damaged`, and `unreadable` when it is too
  ///   large.
  init(_ data: Data) throws(MappingModelError) {
    super.init()
    guard data.count <= Self.largestFile else {
      throw MappingModelError(.unreadable, "the mapping model is larger than 64 MiB; check the path")
    }
    let plain = Self.withoutDocumentType(data)
    do {
      try XMLParserLimits.check(plain)
    } catch {
      throw MappingModelError(
        .damaged, "the mapping model holds XML that none needs; save it with Xcode again", cause: error)
    }
    let parser = XMLParser(data: plain)
    parser.shouldResolveExternalEntities = false
    parser.delegate = self
    let isParsed = parser.parse()
    if let failure { throw MappingModelError(.damaged, failure) }
    guard isParsed, isDatabase else {
      throw MappingModelError(
        .notMappingModel,
        "the file is no XML of a mapping model (line \(parser.lineNumber)); use the xcmapping.xml of an"
          + " .xcmappingmodel", cause: parser.parserError)
    }
  }

  /// Xcode names a document type, which says nothing; one with declarations inside stays, and is
  /// refused.
  private static func withoutDocumentType(_ data: Data) -> Data {
    guard let start = data.range(of: Data("<!DOCTYPE database SYSTEM \"".utf8)),
      let end = data[start.upperBound...].firstIndex(of: UInt8(ascii: ">")),
      !data[start.upperBound..<end].contains(UInt8(ascii: "["))
    else { return data }
    return data[..<start.lowerBound] + data[(end + 1)...]
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    depth += 1
    if depth > 64 {
      failure = "the elements of the mapping model are nested too deeply; save it with Xcode again"
      return parser.abortParsing()
    }
    text = ""
    switch (name, depth) {
    case ("database", 1): isDatabase = true
    case ("object", 2):
      identifier = attributes["id"] ?? ""
      object = Object(type: attributes["type"] ?? "")
    case ("attribute", 3): attribute = attributes["name"]
    case ("relationship", 3):
      let names = (attributes["idrefs"] ?? "").split(separator: " ").map(String.init)
      object?.relationships[attributes["name"] ?? ""] = names
    default: break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    if attribute != nil { text += string }
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    switch (name, depth) {
    case ("attribute", 3):
      if let attribute { object?.attributes[attribute] = text }
      attribute = nil
    case ("object", 2):
      objects[identifier] = object
      object = nil
    default: break
    }
    depth -= 1
  }
}
