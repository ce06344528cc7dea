public import ObjectModel

/// A rule of the model that an object to be saved breaks, with its bound.
public enum ValidationRule: Sendable, Hashable, CustomStringConvertible {
  /// The property is not optional and has no value.
  case required
  /// The value is below the least.
  case least(AttributeValue)
  /// The value is above the greatest.
  case greatest(AttributeValue)
  /// The text has fewer characters.
  case shortest(Int64)
  /// The text has more characters.
  case longest(Int64)
  /// The whole text does not fit the regular expression.
  case pattern(String)
  /// The relationship leads to fewer objects.
  case fewest(Int)
  /// The relationship leads to more objects.
  case most(Int)
  /// The object cannot be deleted while its relationship leads anywhere.
  case denied
  /// The object's own validation threw.
  case own

  /// The rule in words, with its bound, which is the model's and no stored value.
  public var description: String {
    switch self {
    case .required: "is required"
    case .least(let bound): "is less than \(bound.text), the least it may be"
    case .greatest(let bound): "is more than \(bound.text), the most it may be"
    case .shortest(let bound): "is shorter than \(bound) characters"
    case .longest(let bound): "is longer than \(bound) characters"
    case .pattern(let pattern): "does not fit its pattern \(pattern)"
    case .fewest(let bound): "has fewer objects than \(bound)"
    case .most(let bound): "has more objects than \(bound)"
    case .denied: "keeps the object from being deleted while it leads anywhere"
    case .own: "is refused by the object's own validation"
    }
  }
}
