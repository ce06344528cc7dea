import Foundation
import ObjectModel
import ObjectQuery

/// One column of a fetch of values: a property of each model, or a function of all models of a
/// group.
public struct ModelColumn<Model: PersistentModel, Value> {
  let path: PartialKeyPath<Model>?
  let aggregate: FetchAggregate?
  let decode: (AttributeValue) -> Value?

  private init(
    _ path: PartialKeyPath<Model>?, _ aggregate: FetchAggregate?,
    _ decode: @escaping (AttributeValue) -> Value?
  ) {
    self.path = path
    self.aggregate = aggregate
    self.decode = decode
  }

  /// A stored property, over to-ones if need be: `.value(\.title)`, `.value(\Book.author?.name)`,
  /// which the compiler wants with its root.
  ///
  /// Beside functions it makes the groups.
  public static func value(_ keyPath: KeyPath<Model, Value>) -> ModelColumn {
    ModelColumn(keyPath, nil, plain)
  }

  /// The sum of a property that is a number; 0 of none.
  public static func sum(_ keyPath: KeyPath<Model, Value>) -> ModelColumn where Value: Numeric {
    ModelColumn(keyPath, .sum, number())
  }

  /// The sum of a property that is a number and may be missing, over those that are there; 0 of
  /// none.
  public static func sum(_ keyPath: KeyPath<Model, Value?>) -> ModelColumn where Value: Numeric {
    ModelColumn(keyPath, .sum, number())
  }

  /// How values of the type are made of an attribute's.
  private static var plain: (AttributeValue) -> Value? {
    unsafeDowncast(ValueForm(Value.self, transformer: nil).coding, to: ValueCoding<Value>.self).decode
  }

  /// The same, with 0 of nothing.
  private static func number() -> (AttributeValue) -> Value? where Value: Numeric {
    let plain = plain
    return { $0.isNull ? 0 : plain($0) }
  }
}

extension ModelColumn where Value == Int {
  /// The number of models.
  public static func count() -> ModelColumn {
    ModelColumn(nil, .count) { if case .integer(let count) = $0 { Int(count) } else { nil } }
  }

  /// The number of models that have a value in a property.
  public static func count<Property>(_ keyPath: KeyPath<Model, Property>) -> ModelColumn {
    ModelColumn(keyPath, .count) { if case .integer(let count) = $0 { Int(count) } else { nil } }
  }
}

extension ModelColumn where Value == Double? {
  /// The mean of a property that is a number, over those that are there; nil of none.
  public static func average<Property>(_ keyPath: KeyPath<Model, Property>) -> ModelColumn {
    ModelColumn(keyPath, .average) { value in
      switch value {
      case .null: .some(nil)
      case .integer(let integer): Double(integer)
      case .double(let double): double
      case .decimal(let decimal): NSDecimalNumber(decimal: decimal).doubleValue
      default: nil
      }
    }
  }
}

extension ModelColumn {
  /// The least value of a property, of those that are there; nil of none.
  public static func minimum<Property>(_ keyPath: KeyPath<Model, Property>) -> ModelColumn
  where Value == Property? { ModelColumn(keyPath, .min, plain) }

  /// The least value of a property that may be missing.
  public static func minimum<Property>(_ keyPath: KeyPath<Model, Property?>) -> ModelColumn
  where Value == Property? { ModelColumn(keyPath, .min, plain) }

  /// The greatest value of a property, of those that are there; nil of none.
  public static func maximum<Property>(_ keyPath: KeyPath<Model, Property>) -> ModelColumn
  where Value == Property? { ModelColumn(keyPath, .max, plain) }

  /// The greatest value of a property that may be missing.
  public static func maximum<Property>(_ keyPath: KeyPath<Model, Property?>) -> ModelColumn
  where Value == Property? { ModelColumn(keyPath, .max, plain) }
}
