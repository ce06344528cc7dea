import Foundation
import ObjectModel

extension PropertySchema {
  /// Declares the property in an entity.
  ///
  /// - `destination`: The name of a class's entity.
  func add(to entity: inout Entity, destination: (any PersistentModel.Type) -> String) {
    switch kind {
    case .attribute(let type, let isOptional):
      var own = Attribute(name, type, optional: isOptional, default: defaultValue(type))
      own.renamingIdentifier = attribute.flatMap { $0.originalName.isEmpty ? nil : $0.originalName }
      own.versionHashModifier = attribute?.hashModifier
      own.valueTransformerName = attribute?.transformerLabel
      for option in attribute?.options ?? [] {
        switch option.kind {
        case .externalStorage: own.allowsExternalBinaryDataStorage = true
        case .ephemeral: own.isTransient = true
        case .preserveValueOnDeletion: own.preservesValueInHistoryOnDeletion = true
        case .unique: entity.uniquenessConstraints.append(UniquenessConstraint(name))
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

  /// The declared default, where it is the same each time and no transformer makes what is stored of it: not
  /// `Date.now`, not `UUID()`.
  private func defaultValue(_ type: AttributeType) -> AttributeValue? {
    guard attribute?.transformerLabel == nil, let makeDefault, let first = encoded(makeDefault()),
      first == encoded(makeDefault()), !first.isNull, first.matches(type)
    else { return nil }
    return first
  }

  /// The declared default, where the engine's model has it.
  var fixedDefault: Any? {
    guard case .attribute(let type, _) = kind, defaultValue(type) != nil else { return nil }
    return makeDefault?()
  }

  private func encoded(_ value: Any?) -> AttributeValue? {
    guard let value else { return nil }
    func open<Value>(_ type: Value.Type) -> AttributeValue? {
      (value as? Value).map { coding(of: Value.self).encode($0) }
    }
    return _openExistential(valueType, do: open)
  }
}
