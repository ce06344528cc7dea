public import ObjectModel

/// One object that a transaction inserted, updated or deleted.
///
/// As `NSPersistentHistoryChange`.
public struct PersistentHistoryChange: Sendable, Identifiable {
  /// What was done to the object.
  public enum ChangeType: Int, Sendable, Codable, CaseIterable {
    case insert, update, delete
  }

  /// Its number among all changes of the store's history.
  public let changeID: Int64
  /// The number of its transaction.
  public let transactionNumber: Int64
  /// The object.
  public let changedObjectID: ManagedObjectID
  /// What was done to it.
  public let changeType: ChangeType
  /// For an update the properties that were written, without those that the model has no more; nil else.
  ///
  /// Empty where only the order of a relationship changed. Derived attributes are not among them.
  public let updatedProperties: [PropertyDescription]?
  /// For a deletion the values of the attributes that are preserved
  /// (`Attribute.preservesValueInHistoryOnDeletion`), by the names that these have now; nil where there are
  /// none.
  public let tombstone: [String: AttributeValue]?
  /// The values before an update or a deletion, by the names of the properties whose values are recorded
  /// (`EntityDescription.propertiesWithHistoryValues`); nil for an insertion, and where none are recorded.
  ///
  /// A to-many is among them where destinations left it by an update; a deletion has none of its to-manys.
  public let oldValues: [String: PersistentHistoryValue]?
  /// The values after an insertion or an update; nil for a deletion, and where none are recorded.
  ///
  /// A to-many is among them where destinations joined it: nil for an update that only took some away.
  public let newValues: [String: PersistentHistoryValue]?

  /// Its number.
  public var id: Int64 { changeID }

  /// Makes a change, for stores of other kinds.
  public init(
    changeID: Int64, transactionNumber: Int64, changedObjectID: ManagedObjectID, changeType: ChangeType,
    updatedProperties: [PropertyDescription]? = nil, tombstone: [String: AttributeValue]? = nil,
    oldValues: [String: PersistentHistoryValue]? = nil, newValues: [String: PersistentHistoryValue]? = nil
  ) {
    self.changeID = changeID
    self.transactionNumber = transactionNumber
    self.changedObjectID = changedObjectID
    self.changeType = changeType
    self.updatedProperties = updatedProperties
    self.tombstone = tombstone
    self.oldValues = oldValues
    self.newValues = newValues
  }
}
