extension ModelBackingData {
  /// Takes over the values of all properties.
  func copy(_ other: any BackingData<Model>) {
    func open(_ other: some BackingData<Model>) {
      for property in ModelSchema.of(Model.self).properties {
        switch property.kind {
        case .attribute: copy(property, other)
        case .relationship(let destination, let isToMany, _):
          copy(property, destination, isToMany: isToMany, other)
        }
      }
    }
    open(other)
  }

  private func copy(_ property: PropertySchema, _ other: some BackingData<Model>) {
    // As it is stored: a required value may not be set yet.
    if let own = other as? Self {
      return object.set(property.index, to: own.object.value(property.index))
    }
    func open<Value>(_ type: Value.Type) {
      guard let keyPath = property.keyPath as? KeyPath<Model, Value> else { return }
      if property.attribute?.isTransformable != true, let type = type as? any Decodable.Type {
        copyDecodable(type)
      } else {
        setTransformableValue(forKey: keyPath, to: other.getTransformableValue(forKey: keyPath))
      }
    }
    func copyDecodable<Value: Decodable>(_ type: Value.Type) {
      guard let keyPath = property.keyPath as? KeyPath<Model, Value> else { return }
      object.setAttribute(property, to: other.getValue(forKey: keyPath))
    }
    _openExistential(property.valueType, do: open)
  }

  private func copy<Destination: PersistentModel>(
    _ property: PropertySchema, _ destination: Destination.Type, isToMany: Bool,
    _ other: some BackingData<Model>
  ) {
    switch property.keyPath {
    case let path as KeyPath<Model, [Destination]>:
      setValue(forKey: path, to: other.getValue(forKey: path) as [Destination])
    case let path as KeyPath<Model, [Destination]?>:
      let models: [Destination]? = other.getValue(forKey: path)
      if models != nil { setValue(forKey: path, to: models) }
    case let path as KeyPath<Model, Destination?>:
      setValue(forKey: path, to: other.getValue(forKey: path) as Destination?)
    case let path as KeyPath<Model, Destination>:
      setValue(forKey: path, to: other.getValue(forKey: path) as Destination)
    default: break
    }
  }
}
