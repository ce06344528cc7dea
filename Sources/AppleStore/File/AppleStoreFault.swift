/// Something in a store of Core Data's that is not as its model says.
///
/// Real stores have some. The rest of the store is read all the same.
public struct AppleStoreFault: Sendable, Hashable, CustomStringConvertible {
  /// What kind of fault it is.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A table or column that the model does not explain, or that is not there.
    case layout
    /// A row of an entity that the model has not; it is left out.
    case unknownEntity
    /// A row of an abstract entity; it is left out.
    case abstractEntity
    /// A value that is not of its type; it is converted where that loses nothing, else left out.
    case value
    /// A reference to a row that is not there; it is left out.
    case dangling
    /// A reference to an object of an entity that the relationship does not lead to; it is left out.
    case wrongDestination
    /// The entity that a row notes beside a reference is another than the object's.
    case entityColumn
    /// A relationship that must have a destination has none.
    case missingDestination
    /// One side of a pair of inverses has a reference that the other has not.
    case oneSided
    /// No place in an order, or one place for several.
    case order
    /// The same link twice.
    case repeatedLink
    /// A key above the greatest that the store says it gave out.
    case keyAboveMaximum
    /// A row that breaks a uniqueness constraint; it is left out.
    case notUnique
  }

  /// What kind of fault it is.
  public let kind: Kind
  /// The entity.
  public let entity: String?
  /// The row's key (`Z_PK`).
  public let key: Int64?
  /// The property.
  public let property: String?
  /// What is wrong, and what became of it; never holds a stored value.
  public let message: String

  init(
    _ kind: Kind, _ entity: String? = nil, _ key: Int64? = nil, _ property: String? = nil, _ message: String
  ) {
    self.kind = kind
    self.entity = entity
    self.key = key
    self.property = property
    self.message = message
  }

  /// Where it is and what it is, in one line.
  public var description: String {
    var place = [entity, property].compactMap { $0 }.joined(separator: ".")
    if let key { place += " of row \(key)" }
    return place.isEmpty ? message : "\(place): \(message)"
  }
}
