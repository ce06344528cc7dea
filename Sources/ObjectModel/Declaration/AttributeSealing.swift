/// How a store on a server seals the values of an attribute, so that the server cannot read them.
///
/// A store in a file is encrypted as a whole, so there it changes nothing.
public enum AttributeSealing: String, Sendable, Hashable, Codable, CaseIterable {
  /// The server sees which objects have a value, and how long the values are.
  ///
  /// Conditions can ask whether there is a value, and nothing else.
  case full
  /// As `full`, and the server sees which objects have equal values.
  ///
  /// Conditions can compare with a constant by `==`, `!=` and IN, and values can be unique.
  case equality
}

extension Attribute {
  /// The name in `userInfo` by which an attribute asks for sealed values: set to `full` or `equality`.
  public static let sealingKey = "sealsValues"

  /// How a store on a server seals the values; nil for values that the server reads.
  ///
  /// It is in `userInfo`, so that every form of a model has it, and part of the version of the model where it
  /// is set.
  public var sealing: AttributeSealing? {
    get { userInfo[Self.sealingKey].flatMap(AttributeSealing.init) }
    set { userInfo[Self.sealingKey] = newValue?.rawValue }
  }
}
