/// What stands, without a size, for a stored property of a model: its value is in the model's
/// object.
public struct _Placeholder {
  /// Makes one.
  public init() {}
}
