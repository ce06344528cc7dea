/// Something wrong with a store's contents.
public struct IntegrityIssue: Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault.
  ///
  /// More may come; match with `==`.
  public struct Kind: Sendable, Hashable, CustomStringConvertible {
    /// The kind's name.
    public let description: String
    init(_ name: String) { description = name }

    /// A page is not what was written with the key.
    public static let damagedPage = Kind("damagedPage")
    /// SQLite finds a fault in its own structures.
    public static let structure = Kind("structure")
    /// A table or index that the model asks for is not there.
    public static let missingTable = Kind("missingTable")
    /// There is a table, index, trigger or view that the model does not make.
    ///
    /// Nothing else is looked at then.
    public static let unexpectedSchema = Kind("unexpectedSchema")
    /// A row is of an entity that the model does not have in this table.
    public static let unknownEntity = Kind("unknownEntity")
    /// A required value is null.
    public static let missingValue = Kind("missingValue")
    /// A to-one references an object that does not exist.
    public static let danglingReference = Kind("danglingReference")
    /// A link of a to-many has an end that is not there.
    public static let danglingRelationship = Kind("danglingRelationship")
    /// A relationship references an object of an entity other than its destination.
    public static let wrongEntity = Kind("wrongEntity")
    /// Two ends of a relationship say different things.
    public static let inverseDisagrees = Kind("inverseDisagrees")
    /// The places of an ordered to-many are not each there once.
    public static let brokenOrder = Kind("brokenOrder")
    /// Objects share values that must be unique.
    public static let notUnique = Kind("notUnique")
    /// Numbers are in use that the store would give out again.
    public static let staleSequence = Kind("staleSequence")
    /// The history is not the one that was written.
    public static let brokenHistory = Kind("brokenHistory")
    /// A vault remembers a later history than the file has.
    public static let olderThanVault = Kind("olderThanVault")
  }

  /// The kind of fault.
  public let kind: Kind
  /// The entity concerned.
  public let entity: String?
  /// The object concerned, by its number in the store.
  public let reference: Int64?
  /// What is wrong, in words; no stored value.
  public let message: String
  /// Whether there is one right answer, which a repair gives.
  public let isRepairable: Bool
  /// What was found, as one line.
  public var description: String {
    let place = [entity, reference.map { String($0) }].compactMap { $0 }.joined(separator: " ")
    return "\(kind)\(place.isEmpty ? "" : " \(place)"): \(message)"
  }

  init(
    _ kind: Kind, _ entity: String? = nil, _ reference: Int64? = nil, _ message: String,
    isRepairable: Bool = false
  ) {
    self.kind = kind
    self.entity = entity
    self.reference = reference
    self.message = message
    self.isRepairable = isRepairable
  }
}
