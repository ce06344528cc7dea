public import ObjectQuery
public import Observation

/// A class whose instances a store keeps.
///
/// `@Model` writes the conformance. A class may be written by hand, too: it stores `persistentBackingData`,
/// which begins as `createBackingData()` and is what `init(backingData:)` sets, names its properties in
/// `schemaMetadata`, and reads and sets them with `getValue(forKey:)` and `setValue(forKey:to:)`.
///
/// A model is not Sendable: use it where its context is used, and pass its `persistentModelID` elsewhere.
/// Its stored properties are values of one `ModelObject`, new and without a context until the model is
/// inserted.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, QueryableModel, FetchArgument,
  SendableMetatype
{
  /// The class itself.
  associatedtype Root: PersistentModel = Self

  /// The values of the model.
  var persistentBackingData: any BackingData<Self> { get set }
  /// Makes the model of some values.
  init(backingData: any BackingData<Self>)
  /// Makes the model that shows an object of a context. Written by `@Model`; called by contexts
  /// only.
  init(_$object object: ModelObject)
  /// The object that holds the values. Written by `@Model`.
  var _$object: ModelObject { get }
  /// The persistent properties that the class itself declares, in their order. Written by `@Model`.
  static var schemaMetadata: [Schema.PropertyMetadata] { get }
  /// What `#Unique` and `#Index` say in the class. Written by `@Model`.
  static var _$constraints: [any SchemaConstraint] { get }
}

extension PersistentModel {
  /// No properties.
  public static var schemaMetadata: [Schema.PropertyMetadata] { [] }
  /// No constraints.
  public static var _$constraints: [any SchemaConstraint] { [] }

  /// The identity of the model in its store: temporary until the first save, the same ever after.
  public var persistentModelID: PersistentIdentifier { PersistentIdentifier(_$object.objectID) }
  /// The same as `persistentModelID`, unless the class declares an `id` of its own.
  public var id: PersistentIdentifier { persistentModelID }
  /// Whether the next save has something to do for the model; true for one that is not inserted
  /// yet.
  public var hasChanges: Bool { _$object.hasChanges }
  /// Whether the next save removes the model, or it was deleted elsewhere: then it keeps what was
  /// read of it, or is empty, and setting its properties does nothing.
  public var isDeleted: Bool { _$object.isDeleted }

  /// The name of the property that each key path of the class reads; empty for the identity.
  public static var propertyNames: [AnyKeyPath: String] { ModelSchema.of(self).propertyNames }
  /// The property that a key path reads; empty for the identity.
  public static func propertyName(of keyPath: AnyKeyPath) -> String? {
    let names = ModelSchema.of(self).path(of: keyPath)
    return names?.count == 1 ? names?[0] : names?.isEmpty == true ? "" : nil
  }
  /// The name of the class's entity.
  public static var queryEntityName: String { ModelSchema.name(self) }
  /// The model, by its identity.
  public var fetchExpression: FetchExpression { _$object.objectID.fetchExpression }

  /// Identity.
  public static func == (left: Self, right: Self) -> Bool { left._$object === right._$object }
  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(_$object)) }
}
