public import Foundation

extension Schema: Codable {
  private enum CodingKeys: String, CodingKey { case encodingVersion, version, classes, entities }

  private struct NamedClass: Codable {
    let name: String
    /// As the compiler writes the class's name, by which a program finds its own classes.
    let symbol: String
  }

  /// Writes the version and which classes the schema has: their names, not what they look like.
  ///
  /// Of a schema made by hand, the entities.
  /// - Throws: `SwiftDataError.unknownSchema` for a class without a name that the program could
  ///   find it by.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(encodingVersion, forKey: .encodingVersion)
    try values.encode(version, forKey: .version)
    if isHandMade { try values.encode(entities.filter { $0.superentity == nil }, forKey: .entities) }
    if isHandMade && types.isEmpty { return }
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
  /// - Throws: `SwiftDataError.unknownSchema`, which names a class that this program has not, or the
  ///   version of a form that this library does not know; as the entities' own.
  public convenience init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let form = try values.decodeIfPresent(Version.self, forKey: .encodingVersion)
    if let form, form.major > Self.schemaEncodingVersion.major {
      throw SwiftDataError(
        .unknownSchema, "the schema is coded in form \(form), which is newer; update the program")
    }
    let version = try values.decode(Version.self, forKey: .version)
    let entities = try values.decodeIfPresent([Entity].self, forKey: .entities)
    let named =
      entities == nil
      ? try values.decode([NamedClass].self, forKey: .classes)
      : try values.decodeIfPresent([NamedClass].self, forKey: .classes) ?? []
    let types = try named.map { named in
      guard let type = SchemaTypeName.type(named: named.symbol) as? any PersistentModel.Type else {
        throw SwiftDataError(
          .unknownSchema, "this program has no model \(named.name.prefix(200)) of the schema")
      }
      return type
    }
    if let entities {
      self.init(handMade: entities, classes: types, version: version)
    } else {
      self.init(types, version: version)
    }
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
