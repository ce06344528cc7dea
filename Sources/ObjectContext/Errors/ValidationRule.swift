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
  /// The relationship has fewer destinations.
  case fewest(Int)
  /// The relationship has more destinations.
  case most(Int)
  /// The object cannot be deleted while its relationship has a destination.
  case denied
  /// The object's own validation threw.
  case own

  /// The rule in words, with its bound, which is the model's and no stored value.
  public var description: String {
    switch self {
    case .required: "is required"
    case .least(let bound): "is less than the minimum \(bound.text)"
    case .greatest(let bound): "is greater than the maximum \(bound.text)"
    case .shortest(let bound): "is shorter than \(bound) characters"
    case .longest(let bound): "is longer than \(bound) characters"
    case .pattern(let pattern): "does not match the regular expression \(pattern)"
    case .fewest(let bound): "has fewer than \(bound) objects"
    case .most(let bound): "has more than \(bound) objects"
    case .denied: "denies the deletion of an object that still has destinations"
    case .own: "was rejected by the object's own validation"
    }
  }
}
