/// The coded form of a Swift type: the name that the compiler gives it.
struct SchemaTypeName: Codable {
  let type: Any.Type

  init(_ type: Any.Type) { self.type = type }

  private static let longest = 4096

  /// The type that a compiler's name stands for; nil where the program has none.
  ///
  /// A compiler's name in a file has printable characters only: others stand for addresses in memory.
  static func type(named name: String) -> Any.Type? {
    guard name.utf8.count <= longest, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    return _typeByName(name)
  }

  /// - Throws: `DecodingError.dataCorrupted` for a type that the program does not have.
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let name = try container.decode(String.self)
    guard let type = Self.type(named: name) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "this program has no type \(name.prefix(200)), which a schema's property has")
    }
    self.type = type
  }

  /// - Throws: `EncodingError.invalidValue` for a type without a name that it could be found by.
  func encode(to encoder: any Encoder) throws {
    guard let name = _mangledTypeName(type) else {
      throw EncodingError.invalidValue(
        type, .init(codingPath: encoder.codingPath, debugDescription: "\(type) has no name to be found by"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}
