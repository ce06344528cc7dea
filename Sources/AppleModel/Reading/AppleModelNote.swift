/// Something of an archived model that the model here cannot say, or says otherwise.
public struct AppleModelNote: Sendable, Hashable, CustomStringConvertible {
  /// The entity, if it is in one.
  public let entity: String?
  /// The property, index or template, if it is in one.
  public let property: String?
  /// What is not taken over, and what stands in place of it.
  public let message: String

  init(_ entity: String?, _ property: String?, _ message: String) {
    self.entity = entity
    self.property = property
    self.message = message
  }

  /// Entity, property and message in one line.
  public var description: String {
    let path = [entity, property].compactMap { $0 }.joined(separator: ".")
    return path.isEmpty ? message : "\(path): \(message)"
  }
}
