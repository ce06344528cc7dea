import ObjectModel

/// A snapshot of a model of any class.
///
/// Encodes its identifier and each property under its name: attributes as what their types encode,
/// relationships as identifiers. Decodes in a program that has the class.
public struct DefaultSnapshot: DataStoreSnapshot {
  enum PropertyValue: Sendable, Hashable {
    case attribute(AttributeValue)
    case toOne(PersistentIdentifier?)
    /// Nil where the other end has it.
    case toMany([PersistentIdentifier]?)
  }

  /// Whose snapshot it is.
  public let persistentIdentifier: PersistentIdentifier
  private(set) var values: [String: PropertyValue]

  init(_ persistentIdentifier: PersistentIdentifier, _ values: [String: PropertyValue]) {
    self.persistentIdentifier = persistentIdentifier
    self.values = values
  }

  /// Takes the values of a model that is saved.
  /// - Precondition: The backing data have an identifier.
  public init(
    from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
  ) {
    func open<Data: BackingData>(_ data: Data) -> DefaultSnapshot {
      // Of another kind than a container's own: copied first.
      let own = data as? ModelBackingData<Data.Model> ?? ModelBackingData(copying: data)
      guard let identifier = data.persistentModelID else {
        preconditionFailure("a snapshot of a \(Data.Model.self) was to be made that has no identifier yet")
      }
      var values: [String: PropertyValue] = [:]
      for property in ModelSchema.of(Data.Model.self).properties {
        values[property.name] = own.snapshotValue(property)
      }
      return DefaultSnapshot(identifier, values)
    }
    self = open(backingData)
  }

  /// The same values under another identifier.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = [:]
  ) -> DefaultSnapshot {
    let map = remappedIdentifiers ?? [:]
    if map.isEmpty { return DefaultSnapshot(persistentIdentifier, values) }
    return DefaultSnapshot(
      persistentIdentifier,
      values.mapValues { value in
        switch value {
        case .attribute: value
        case .toOne(let identifier): .toOne(identifier.map { map[$0] ?? $0 })
        case .toMany(let identifiers): .toMany(identifiers?.map { map[$0] ?? $0 })
        }
      })
  }
}

extension DefaultSnapshot {
  /// Writes identifier and values by their names.
  /// - Throws: what the encoder throws; `EncodingError` where the program has no class of the entity's name,
  ///   and for a temporary identifier, which would say nothing to the next launch.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try checkPermanent([persistentIdentifier], "its identifier", encoder)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    guard let shape = try SnapshotSchemas.shape(named: persistentIdentifier.entityName) else {
      throw EncodingError.invalidValue(
        persistentIdentifier,
        .init(
          codingPath: encoder.codingPath,
          debugDescription: "this program has no model \(persistentIdentifier.entityName)"))
    }
    for property in shape.properties {
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      switch values[property.name] {
      case .attribute(.null), .toOne(nil), .toMany(nil), nil: continue
      case .attribute(let value): try property.encode(value, to: &container, forKey: key)
      case .toOne(let identifier?):
        try checkPermanent([identifier], property.name, encoder)
        try container.encode(identifier, forKey: key)
      case .toMany(let identifiers?):
        try checkPermanent(identifiers, property.name, encoder)
        try container.encode(identifiers, forKey: key)
      }
    }
  }

  private func checkPermanent(
    _ identifiers: [PersistentIdentifier], _ name: String, _ encoder: any Encoder
  ) throws {
    guard let temporary = identifiers.first(where: \.isTemporary) else { return }
    throw EncodingError.invalidValue(
      temporary,
      .init(
        codingPath: encoder.codingPath,
        debugDescription: "a snapshot of a \(persistentIdentifier.entityName) has a temporary identifier as"
          + " \(name); pass remappedIdentifiers to copy(persistentIdentifier:remappedIdentifiers:)"))
  }

  /// Reads what was written.
  /// - Throws: `DecodingError` for what is no snapshot, and where the program has no class of the entity's
  ///   name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
    guard let shape = try SnapshotSchemas.shape(named: identifier.entityName) else {
      throw DecodingError.dataCorruptedError(
        forKey: .persistentIdentifier, in: container,
        debugDescription: "this program has no model \(identifier.entityName)")
    }
    var values: [String: PropertyValue] = [:]
    for property in shape.properties {
      let key = DataStoreSnapshotCodingKey.modeledProperty(property.name)
      let isThere = try container.contains(key) && !container.decodeNil(forKey: key)
      switch property.kind {
      case .attribute:
        // What is not there is nothing, or else missing: the container finds out.
        if isThere { values[property.name] = .attribute(try property.decode(from: container, forKey: key)) }
      case .relationship(_, isToMany: false, _):
        values[property.name] = .toOne(
          isThere ? try container.decode(PersistentIdentifier.self, forKey: key) : nil)
      case .relationship:
        values[property.name] = .toMany(
          isThere ? try container.decode([PersistentIdentifier].self, forKey: key) : nil)
      }
    }
    self.init(identifier, values)
  }
}
