/// Reading and setting the properties of a model by key path: what generic code does, and the accessors of
/// a class without `@Model`.
///
/// Observed as the property itself is. A key path that is to no persistent property reads what it reads.
extension PersistentModel {
  /// Reads a property of any type.
  @_disfavoredOverload
  public func getValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value { computed(keyPath) }

  /// Reads an attribute.
  public func getValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value where Value: Decodable {
    isPersistent(keyPath) ? persistentBackingData.getValue(forKey: keyPath) : computed(keyPath)
  }

  /// Reads a required to-one.
  public func getValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value where Value: PersistentModel {
    isPersistent(keyPath) ? persistentBackingData.getValue(forKey: keyPath) : computed(keyPath)
  }

  /// Reads a to-one.
  public func getValue<Value>(forKey keyPath: KeyPath<Self, Value?>) -> Value? where Value: PersistentModel {
    isPersistent(keyPath) ? persistentBackingData.getValue(forKey: keyPath) : computed(keyPath)
  }

  /// Reads a to-many.
  public func getValue<Value, OtherModel>(forKey keyPath: KeyPath<Self, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    isPersistent(keyPath) ? persistentBackingData.getValue(forKey: keyPath) : computed(keyPath)
  }

  /// Reads a to-many whose models are Decodable.
  public func getValue<Value, OtherModel>(forKey keyPath: KeyPath<Self, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    isPersistent(keyPath) ? persistentBackingData.getValue(forKey: keyPath) : computed(keyPath)
  }

  /// Reads an attribute that a transformer stores.
  public func getTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>) -> Value {
    isPersistent(keyPath) ? persistentBackingData.getTransformableValue(forKey: keyPath) : computed(keyPath)
  }

  /// Sets a property of any type.
  /// - Precondition: The key path is to a property that can be set.
  @_disfavoredOverload
  public func setValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
    compute(keyPath, newValue)
  }

  /// Sets an attribute.
  public func setValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value)
  where Value: Encodable {
    change(keyPath, newValue) { persistentBackingData.setValue(forKey: keyPath, to: newValue) }
  }

  /// Sets a required to-one.
  public func setValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value)
  where Value: PersistentModel {
    change(keyPath, newValue) { persistentBackingData.setValue(forKey: keyPath, to: newValue) }
  }

  /// Sets a to-one.
  public func setValue<Value>(forKey keyPath: KeyPath<Self, Value?>, to newValue: Value?)
  where Value: PersistentModel {
    change(keyPath, newValue) { persistentBackingData.setValue(forKey: keyPath, to: newValue) }
  }

  /// Sets a to-many.
  public func setValue<Value, OtherModel>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    change(keyPath, newValue) { persistentBackingData.setValue(forKey: keyPath, to: newValue) }
  }

  /// Sets a to-many whose models are Encodable.
  public func setValue<Value, OtherModel>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    change(keyPath, newValue) { persistentBackingData.setValue(forKey: keyPath, to: newValue) }
  }

  /// Sets an attribute that a transformer stores.
  public func setTransformableValue<Value>(forKey keyPath: KeyPath<Self, Value>, to newValue: Value) {
    change(keyPath, newValue) { persistentBackingData.setTransformableValue(forKey: keyPath, to: newValue) }
  }

  // MARK: Inside

  /// Whether a key path is to a persistent property; notes that it is read.
  private func isPersistent<Value>(_ keyPath: KeyPath<Self, Value>) -> Bool {
    if ModelSchema.of(Self.self).property(of: keyPath) == nil { return false }
    _$object.access(self) { keyPath }
    return true
  }

  private func change<Value>(_ keyPath: KeyPath<Self, Value>, _ newValue: Value, _ body: () -> Void) {
    guard let property = ModelSchema.of(Self.self).property(of: keyPath) else {
      return compute(keyPath, newValue)
    }
    _$object.mutate(self, { keyPath }, property.index, body)
  }

  private func computed<Value>(_ keyPath: KeyPath<Self, Value>) -> Value {
    ComputedAccess.perform(keyPath, of: Self.self) { self[keyPath: keyPath] }
  }

  private func compute<Value>(_ keyPath: KeyPath<Self, Value>, _ newValue: Value) {
    guard let path = keyPath as? ReferenceWritableKeyPath<Self, Value> else {
      preconditionFailure("a property of \(Self.self) was to be set that can only be read")
    }
    ComputedAccess.perform(keyPath, of: Self.self) { self[keyPath: path] = newValue }
  }
}

/// The key path that is being read or set through the property itself.
private enum ComputedAccess {
  private struct Place: @unchecked Sendable {
    // @unchecked: key paths never change.
    let keyPath: AnyKeyPath
  }

  @TaskLocal private static var current: Place?

  /// - Precondition: The property's own accessor does not ask for the same key path again.
  static func perform<R>(_ keyPath: AnyKeyPath, of model: Any.Type, _ body: () -> R) -> R {
    precondition(
      current?.keyPath != keyPath,
      "\(model) asks for the value of a property that its schemaMetadata does not name; add it there")
    return $current.withValue(Place(keyPath: keyPath), operation: body)
  }
}
