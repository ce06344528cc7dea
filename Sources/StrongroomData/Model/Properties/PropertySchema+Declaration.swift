import Foundation
import ObjectModel

extension PropertySchema {
  /// Declares the property in an entity.
  ///
  /// - `destination`: The name of a class's entity.
  func add(to entity: inout Entity, destination: (any PersistentModel.Type) -> String) {
    switch kind {
    case .attribute(let type, let isOptional):
      var own = Attribute(name, type, optional: isOptional, default: rowDefault)
      own.renamingIdentifier = attribute.flatMap { $0.originalName.isEmpty ? nil : $0.originalName }
      own.versionHashModifier = attribute?.hashModifier
      own.valueTransformerName = attribute?.transformerLabel
      for option in attribute?.options ?? [] {
        switch option.kind {
        case .externalStorage: own.allowsExternalBinaryDataStorage = true
        case .ephemeral: own.isTransient = true
        case .preserveValueOnDeletion: own.preservesValueInHistoryOnDeletion = true
        case .unique: entity.uniquenessConstraints.append(UniquenessConstraint(name))
        case .sealed(let sealing): own.sealing = sealing
        case .spotlight, .allowsCloudEncryption, .transformable, .codable: break
        }
      }
      entity.attributes.append(own)
    case .relationship(let model, let isToMany, let isOptional):
      var own =
        isToMany
        ? Relationship(
          name, toMany: destination(model),
          optional: (relationship?.minimumModelCount ?? 0) == 0,
          minCount: relationship?.minimumModelCount ?? 0, maxCount: relationship?.maximumModelCount ?? 0)
        : Relationship(name, to: destination(model), optional: isOptional)
      own.deleteRule = relationship.flatMap { DeleteRule(rawValue: $0.deleteRule.rawValue) } ?? .nullify
      own.renamingIdentifier = relationship.flatMap { $0.originalName.isEmpty ? nil : $0.originalName }
      own.versionHashModifier = relationship?.hashModifier
      if relationship?.isUnique == true { entity.uniquenessConstraints.append(UniquenessConstraint(name)) }
      entity.relationships.append(own)
    }
  }

  /// The value for rows of an older version: the declared default, unless it differs each time, as `UUID()`
  /// does, or a transformer makes what is stored of it.
  ///
  /// A date may differ: `Date.now` is then the time at which the program first used the class.
  func makeRowDefault() -> AttributeValue? {
    guard case .attribute(let type, _) = kind, attribute?.transformerLabel == nil, let makeDefault,
      let first = encoded(makeDefault()), !first.isNull, first.matches(type),
      type == .date || first == encoded(makeDefault())
    else { return nil }
    return first
  }

  /// The declared default, where rows of an older version get it.
  var fixedDefault: Any? { rowDefault == nil ? nil : makeDefault?() }

  private func encoded(_ value: Any?) -> AttributeValue? {
    guard let value else { return nil }
    func open<Value>(_ type: Value.Type) -> AttributeValue? {
      (value as? Value).map { coding(of: Value.self).encode($0) }
    }
    return _openExistential(valueType, do: open)
  }
}
