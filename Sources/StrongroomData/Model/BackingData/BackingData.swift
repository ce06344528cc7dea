/// What holds the values of a model: those of an object of a context, of a new model, or of a program's
/// own.
///
/// As SwiftData's, which is what `DataStoreSnapshot` is made of. A key path has to be to a persistent
/// property of the model, whose type is the key path's value.
public protocol BackingData<Model> {
  /// The class of the model.
  associatedtype Model: PersistentModel

  /// Makes the values of a new model: the defaults of its class.
  init(for modelType: Model.Type)

  /// The identity of the model; nil where it has none yet.
  var persistentModelID: PersistentIdentifier? { get set }
  /// What is known of the model's properties: a list of `Schema.PropertyMetadata`.
  var metadata: Any { get }

  /// Reads an attribute that a transformer stores.
  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value
  /// Sets an attribute that a transformer stores.
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value)

  /// Reads an attribute.
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: Decodable
  /// Reads a required to-one.
  func getValue<Value>(forKey: KeyPath<Model, Value>) -> Value where Value: PersistentModel
  /// Reads a to-one.
  func getValue<Value>(forKey: KeyPath<Model, Value?>) -> Value? where Value: PersistentModel
  /// Reads a to-many.
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// Reads a to-many whose models are Decodable.
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement

  /// Sets an attribute.
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: Encodable
  /// Sets a required to-one.
  func setValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) where Value: PersistentModel
  /// Sets a to-one.
  func setValue<Value>(forKey: KeyPath<Model, Value?>, to newValue: Value?) where Value: PersistentModel
  /// Sets a to-many.
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement
  /// Sets a to-many whose models are Encodable.
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement
}
