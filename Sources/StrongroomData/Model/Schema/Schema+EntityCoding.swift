extension Schema.Entity: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, superentityName, properties, subentities, uniquenessConstraints, indices
  }

  /// Reads what `encode(to:)` wrote, with the subentities.
  /// - Throws: as the properties' own.
  public convenience init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try values.decode(String.self, forKey: .name),
      inheriting: try values.decode([Schema.Entity].self, forKey: .subentities),
      declaring: try values.decode([CodedSchemaProperty].self, forKey: .properties).map(\.property))
    superentityName = try values.decodeIfPresent(String.self, forKey: .superentityName)
    uniquenessConstraints = try values.decode([[String]].self, forKey: .uniquenessConstraints)
    fetchIndexes = try values.decode([CodedIndex].self, forKey: .indices)
  }

  /// Writes all that the entity declares itself, and its subentities.
  /// - Throws: as the properties' own; `EncodingError.invalidValue` for an entity that is a subentity of
  ///   itself.
  public func encode(to encoder: any Encoder) throws {
    try checkSubentities(encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encodeIfPresent(superentityName, forKey: .superentityName)
    try values.encode(storedProperties.compactMap(CodedSchemaProperty.init), forKey: .properties)
    try values.encode(children, forKey: .subentities)
    try values.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
    try values.encode(fetchIndexes, forKey: .indices)
  }

  private func checkSubentities(_ encoder: any Encoder) throws {
    var waiting = [self]
    var seen: Set<ObjectIdentifier> = []
    while let next = waiting.popLast() {
      guard seen.insert(ObjectIdentifier(next)).inserted else {
        throw EncodingError.invalidValue(
          self,
          .init(
            codingPath: encoder.codingPath,
            debugDescription: "\(next.name) is a subentity of two entities, or of itself"))
      }
      waiting += next.children
    }
  }
}
