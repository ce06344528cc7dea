extension EntityDescription {
  /// The name in `userInfo` by which an entity or a property asks for its values in the history: set to
  /// `YES`.
  ///
  /// An entity asks for all of its properties, those of its subentities included. It is no part of the
  /// version of the model, so that it is switched on without a migration.
  public static let recordsHistoryValuesKey = "recordsHistoryValues"

  /// The stored properties whose values before and after changes are recorded in the history.
  public var propertiesWithHistoryValues: [PropertyDescription] {
    let isWhole = sequence(first: self, next: \.superentity).contains { Self.asks($0.declaration.userInfo) }
    return properties.filter { property in
      switch property {
      case .attribute(let attribute):
        attribute.field >= 0 && attribute.derivation == nil
          && (isWhole || Self.asks(attribute.declaration.userInfo))
      case .relationship(let relationship):
        (relationship.field >= 0 || relationship.isToMany && !relationship.isTransient)
          && (isWhole || Self.asks(relationship.declaration.userInfo))
      }
    }
  }

  private static func asks(_ userInfo: [String: String]) -> Bool {
    ["YES", "true", "1"].contains(userInfo[recordsHistoryValuesKey])
  }
}
