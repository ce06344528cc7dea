extension Schema.Entity {
  /// All properties, inherited ones first.
  public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }
  /// All attributes; setting it replaces those that the entity declares itself.
  public var attributes: Set<Schema.Attribute> {
    get { Set(properties.compactMap { $0 as? Schema.Attribute }) }
    set { replace(newValue) }
  }
  /// All relationships; setting it replaces those that the entity declares itself.
  public var relationships: Set<Schema.Relationship> {
    get { Set(properties.compactMap { $0 as? Schema.Relationship }) }
    set { replace(newValue) }
  }
  /// All attributes by their name.
  public var attributesByName: [String: Schema.Attribute] {
    get { Self.byName(attributes) }
    set { attributes = Set(newValue.values) }
  }
  /// All relationships by their name.
  public var relationshipsByName: [String: Schema.Relationship] {
    get { Self.byName(relationships) }
    set { relationships = Set(newValue.values) }
  }
  /// The properties that the entity declares itself, by their name.
  public var storedPropertiesByName: [String: any SchemaProperty] {
    get { Dictionary(storedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
    set { storedProperties = newValue.values.sorted { $0.name < $1.name } }
  }
  /// The properties that superentities declare, by their name.
  public var inheritedPropertiesByName: [String: any SchemaProperty] {
    get { Dictionary(inheritedProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }) }
    set { inheritedProperties = newValue.values.sorted { $0.name < $1.name } }
  }

  private static func byName<Property: SchemaProperty>(_ properties: Set<Property>) -> [String: Property] {
    Dictionary(properties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Replaces the properties of one kind: known ones stay in place, others follow by name.
  private func replace<Property: SchemaProperty>(_ properties: Set<Property>) {
    let inherited = Set(inheritedProperties.map(\.name))
    var new = Self.byName(properties).filter { !inherited.contains($0.key) }
    storedProperties =
      storedProperties.compactMap { property in
        guard property is Property else { return property }
        return new.removeValue(forKey: property.name)
      } + new.values.sorted { $0.name < $1.name }
  }
}
