public import Foundation

extension Schema: Codable {
  private enum CodingKeys: String, CodingKey { case version, classes }

  private struct NamedClass: Codable {
    let name: String
    /// As the compiler writes the class's name, by which a program finds its own classes.
    let symbol: String
  }

  /// Writes the version and which classes the schema has: their names, not what they look like.
  /// - Throws: `SwiftDataError.unknownSchema` for a class without a name that the program could
  ///   find it by.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(version, forKey: .version)
    try values.encode(
      types.map { type in
        guard let symbol = _mangledTypeName(type) else {
          throw SwiftDataError(.unknownSchema, "\(type) has no name that a program could find it by")
        }
        return NamedClass(name: ModelSchema.name(type), symbol: symbol)
      }, forKey: .classes)
  }

  /// Reads a schema that this program, or one with the same classes in modules of the same names,
  /// wrote.
  /// - Throws: `SwiftDataError.unknownSchema`, which names a class that this program has not.
  public convenience init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let types = try values.decode([NamedClass].self, forKey: .classes).map { named in
      guard let type = _typeByName(named.symbol) as? any PersistentModel.Type else {
        throw SwiftDataError(.unknownSchema, "this program has no model \(named.name) of the schema")
      }
      return type
    }
    self.init(types, version: try values.decode(Version.self, forKey: .version))
  }

  /// Writes the schema to a file as JSON, as `encode(to:)` does, in place of what is there.
  /// - Throws: as `encode(to:)`; what the file system says.
  public func save(to url: URL) throws { try JSONEncoder().encode(self).write(to: url, options: .atomic) }

  /// Reads a schema that `save(to:)` wrote.
  /// - Throws: as `init(from:)`; what the file system says.
  public static func load(from url: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
  }
}
