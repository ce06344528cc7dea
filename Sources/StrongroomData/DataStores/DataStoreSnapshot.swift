/// A value of a snapshot.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// What one model looks like for a store: its identifier and its values, at one moment.
///
/// A container takes the values of a snapshot that is fetched from what it encodes, by the names of the
/// properties: attributes as they are, relationships as identifiers. A value of another type, and a missing
/// one that is not optional and has no default, makes the fetch throw, with the name of the property.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// Whose snapshot it is.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Takes the values of a model that is saved.
  /// - Parameters:
  ///   - backingData: The model's.
  ///   - relatedBackingDatas: Those of all models that are saved with it, by their identifiers.
  init(
    from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// The same values under another identifier.
  /// - Parameters:
  ///   - persistentIdentifier: The new identifier.
  ///   - remappedIdentifiers: What the identifiers in its relationships become.
  /// - Returns: The copy.
  func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// The keys of a snapshot's encoded form.
public enum DataStoreSnapshotCodingKey: CodingKey {
  /// The identifier.
  case persistentIdentifier
  /// A property, by its name.
  case modeledProperty(String)

  private static let identifierName = "persistentIdentifier"

  /// The key of a name.
  public init?(stringValue: String) {
    self = stringValue == Self.identifierName ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// None: keys have names.
  public init?(intValue: Int) { nil }

  /// The name.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: Self.identifierName
    case .modeledProperty(let name): name
    }
  }

  /// Nil.
  public var intValue: Int? { nil }
}
