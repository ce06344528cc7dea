import ObjectContext

/// The values that a `ModelObject` has, by key path.
///
/// What `persistentBackingData` of every model is, and what the snapshots of a custom store are made of.
struct ModelBackingData<Model: PersistentModel>: BackingData {
  let object: ModelObject
  /// What is saved, where the object only shows it to a snapshot.
  var saved: SavedRelationships?
  private var given: PersistentIdentifier?

  init(for modelType: Model.Type) { object = Self.newObject }

  /// The values of another kind.
  init(copying other: some BackingData<Model>) {
    self.init(for: Model.self)
    given = other.persistentModelID
    copy(other)
  }

  /// An object of no context, with the defaults of the class.
  static var newObject: ModelObject {
    let shape = ModelSchema.of(Model.self)
    let object = ModelObject(ManagedObject.Seed(detached: shape.prototype))
    for property in shape.properties { property.initialize(object) }
    return object
  }

  init(_ object: ModelObject) { self.object = object }

  /// The identity of the object, unless another one was given.
  var persistentModelID: PersistentIdentifier? {
    get { given ?? PersistentIdentifier(object.objectID) }
    set { given = newValue }
  }

  var metadata: Any { Model.schemaMetadata }

  private func property(_ keyPath: AnyKeyPath) -> PropertySchema {
    if let property = ModelSchema.of(Model.self).property(of: keyPath) { return property }
    preconditionFailure(
      "\(Model.self) has no persistent property for a key path to \(type(of: keyPath).valueType); name it"
        + " in its schemaMetadata")
  }

  // MARK: Attributes

  func getTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>) -> Value {
    object.attribute(property(keyPath))
  }

  func setTransformableValue<Value>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
    object.setAttribute(property(keyPath), to: newValue)
  }

  func getValue<Value: Decodable>(forKey keyPath: KeyPath<Model, Value>) -> Value {
    object.attribute(property(keyPath))
  }

  func setValue<Value: Encodable>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
    object.setAttribute(property(keyPath), to: newValue)
  }

  // MARK: Relationships

  func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value>) -> Value {
    let property = property(keyPath)
    if let model = saved?.models(property, Value.self).first { return model }
    return object.requiredDestination(property.index, property.name, Value.self)
  }

  func getValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value?>) -> Value? {
    let property = property(keyPath)
    if let saved { return saved.models(property, Value.self).first }
    return object.destination(property.index, Value.self)
  }

  func getValue<Value, OtherModel>(forKey keyPath: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement { models(keyPath) }

  func getValue<Value, OtherModel>(forKey keyPath: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    models(keyPath)
  }

  private func models<Value: RelationshipCollection>(_ keyPath: KeyPath<Model, Value>) -> Value {
    let property = property(keyPath)
    if let saved { return Value(_$models: saved.models(property, Value.PersistentElement.self)) }
    if object.isUnset(property.index) { return Value(_$models: nil) }
    return Value(_$models: object.destinations(property.index, Value.PersistentElement.self))
  }

  func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value) {
    object.point(property(keyPath).index, to: newValue)
  }

  func setValue<Value: PersistentModel>(forKey keyPath: KeyPath<Model, Value?>, to newValue: Value?) {
    object.point(property(keyPath).index, to: newValue)
  }

  func setValue<Value, OtherModel>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    object.point(property(keyPath).index, toAll: newValue._$models ?? [])
  }

  func setValue<Value, OtherModel>(forKey keyPath: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    object.point(property(keyPath).index, toAll: newValue._$models ?? [])
  }
}

extension ModelSchema {
  /// The property that a key path of the class reads; nil where it reads none of its type.
  func property(of keyPath: AnyKeyPath) -> PropertySchema? {
    guard let names = path(of: keyPath), names.count == 1,
      let property = properties.first(where: { $0.name == names[0] }),
      property.valueType == Swift.type(of: keyPath).valueType
    else { return nil }
    return property
  }
}

extension ModelObject {
  /// The value of an attribute, which is of the attribute's type.
  func attribute<Value>(_ property: PropertySchema) -> Value {
    if let value = property.coding(of: Value.self).decode(value(property.index)) { return value }
    return property.empty(Value.self, isDeleted: isDeletedInStore)
  }

  func setAttribute<Value>(_ property: PropertySchema, to newValue: Value) {
    set(property.index, to: property.coding(of: Value.self).encode(newValue))
  }
}

extension PropertySchema {
  /// Gives a new object the declared default of an attribute.
  func initialize(_ object: ModelObject) {
    guard case .attribute = kind, let value = makeDefault?() else { return }
    func open<Value>(_ type: Value.Type) {
      if let value = value as? Value { object.setAttribute(self, to: value) }
    }
    _openExistential(valueType, do: open)
  }
}
