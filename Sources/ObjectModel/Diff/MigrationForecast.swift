/// What the migration of a store to another version of its model would do, found by reading the
/// store and before anything is written.
///
/// It holds names and counts, never a stored value.
public struct MigrationForecast: Codable, Sendable, Hashable {
  /// What becomes of an entity or a property.
  public enum Change: String, Codable, Sendable, CaseIterable {
    /// It stays, with the same type.
    case unchanged
    /// It has another name, by its renaming identifier.
    case renamed
    /// It has another type, or is a to-many instead of a to-one; it may have another name too.
    case converted
    /// It is new.
    case added
    /// The new version has nothing that corresponds to it.
    case dropped
  }

  /// What becomes of a property.
  public struct Property: Codable, Sendable, Hashable {
    /// The name in the new version; of a dropped property, its name in the store.
    public let name: String
    /// The name in the store, where it is another.
    public let formerName: String?
    /// Whether it is a relationship.
    public let isRelationship: Bool
    /// What becomes of it.
    public let change: Change
    /// The type, or the destination with `[]` behind it for a to-many.
    public let type: String
    /// The type in the store, where it is another.
    public let formerType: String?
    /// The number of objects that get the default value: all for a new attribute with one, those
    /// without a value for an attribute that becomes required.
    public let defaultedCount: Int
    /// The number of values of an attribute, or of objects that a relationship refers to, that the
    /// new version has no place for.
    public let droppedCount: Int
    /// The number of objects whose related objects are in an order, of two at least, that the new
    /// version does not store.
    public let droppedOrderCount: Int
    /// Whether related objects are in an order that the new version does not store, be there some or not.
    public let losesOrder: Bool

    package init(
      name: String, formerName: String? = nil, isRelationship: Bool, change: Change, type: String,
      formerType: String? = nil, defaultedCount: Int = 0, droppedCount: Int = 0,
      droppedOrderCount: Int = 0, losesOrder: Bool = false
    ) {
      self.name = name
      self.formerName = formerName
      self.isRelationship = isRelationship
      self.change = change
      self.type = type
      self.formerType = formerType
      self.defaultedCount = defaultedCount
      self.droppedCount = droppedCount
      self.droppedOrderCount = droppedOrderCount
      self.losesOrder = losesOrder
    }
  }

  /// What becomes of an entity.
  public struct Entity: Codable, Sendable, Hashable {
    /// The name in the new version; of a dropped entity, its name in the store.
    public let name: String
    /// The name in the store, where it is another.
    public let formerName: String?
    /// What becomes of it.
    public let change: Change
    /// The number of objects in the store, without those of subentities; all of them are dropped
    /// with a dropped entity.
    public let objectCount: Int
    /// The properties that the entity declares itself; of a dropped entity only those whose values
    /// its former subentities lose.
    ///
    /// Counts are over the objects of the entity and its subentities.
    public let properties: [Property]

    package init(
      name: String, formerName: String? = nil, change: Change, objectCount: Int, properties: [Property]
    ) {
      self.name = name
      self.formerName = formerName
      self.change = change
      self.objectCount = objectCount
      self.properties = properties
    }
  }

  /// A removed and an added name that may mean the same thing; only a renaming identifier makes
  /// them the same.
  public struct RenamingQuestion: Codable, Sendable, Hashable, CustomStringConvertible {
    /// The entity in the new version of a property; nil for an entity.
    public let entityName: String?
    /// The name that is only in the store.
    public let formerName: String
    /// The name that is only in the new version.
    public let name: String

    /// The question in words.
    public var description: String {
      let before = entityName.map { "\($0)." } ?? ""
      return "is \(before)\(name) the former \(formerName)? If so, give it the renaming identifier"
        + " \(formerName)"
    }
  }

  /// Whether the store has this version of the model already, so that nothing would be done.
  public let isCurrent: Bool
  /// The entities of the new version by name, then those that are dropped.
  public let entities: [Entity]
  /// Why the migration would fail; none where it would succeed.
  public let issues: [MigrationIssue]
  /// What looks renamed and has no renaming identifier.
  public let questions: [RenamingQuestion]
  /// The root entities whose rows would be copied into a new table.
  public let rebuiltEntities: [String]
  /// The number of values of attributes that would be dropped, without those of dropped objects.
  public let droppedValueCount: Int
  /// The number of pairs of related objects that would be dropped and of which one object at least
  /// stays; a relationship and its inverse count once.
  public let droppedReferenceCount: Int
  /// An estimate of the time, in seconds: within a factor of three on a disk that reads 200 MB a
  /// second.
  public let estimatedSeconds: Double
  /// An estimate of the bytes of disk that are needed during the migration beside the store's
  /// own, the copy before a lossy migration included.
  public let estimatedBytes: Int

  package init(
    isCurrent: Bool, entities: [Entity], issues: [MigrationIssue], questions: [RenamingQuestion],
    rebuiltEntities: [String], droppedReferenceCount: Int, estimatedSeconds: Double, estimatedBytes: Int
  ) {
    self.isCurrent = isCurrent
    self.entities = entities
    self.issues = issues
    self.questions = questions
    self.rebuiltEntities = rebuiltEntities
    droppedValueCount = entities.flatMap(\.properties).filter { !$0.isRelationship }
      .reduce(0) { $0 + $1.droppedCount }
    self.droppedReferenceCount = droppedReferenceCount
    self.estimatedSeconds = estimatedSeconds
    self.estimatedBytes = estimatedBytes
  }

  /// The number of objects that would be dropped with their entities.
  public var droppedObjectCount: Int {
    entities.filter { $0.change == .dropped }.reduce(0) { $0 + $1.objectCount }
  }

  /// The number of objects that would lose the order of those that one of their relationships has.
  public var droppedOrderCount: Int {
    entities.flatMap(\.properties).reduce(0) { $0 + $1.droppedOrderCount }
  }

  /// Whether data would be dropped: a copy of the whole store then stays beside it.
  public var isLossy: Bool {
    droppedObjectCount + droppedValueCount + droppedReferenceCount + droppedOrderCount > 0
  }

  /// Whether no table that is there is written again, and nothing is dropped.
  public var isAdditive: Bool { rebuiltEntities.isEmpty && !isLossy }

  /// The entity of a name in the new version, or of a dropped entity's name.
  public func entity(named name: String) -> Entity? { entities.first { $0.name == name } }

  /// What would be dropped, in one sentence; nil when nothing is.
  public var lossSummary: String? {
    guard isLossy else { return nil }
    var parts = entities.filter { $0.change == .dropped && $0.objectCount > 0 }.map {
      "\($0.objectCount) objects of \($0.name)"
    }
    for entity in entities {
      for property in entity.properties where property.droppedCount > 0 {
        let what = property.droppedCount.counted(property.isRelationship ? "reference" : "value")
        parts.append("\(what) of \(entity.name).\(property.name)")
      }
      for property in entity.properties where property.droppedOrderCount > 0 {
        let objects = property.droppedOrderCount.counted("object")
        parts.append("the order of \(entity.name).\(property.name) in \(objects)")
      }
    }
    return "it would drop \(parts.joined(separator: ", "))"
  }

  /// What would change, in words, a line each; nothing for what stays as it is.
  public var lines: [String] { lines(isCounted: true, countsReferences: true) }

  package func lines(isCounted: Bool, countsReferences: Bool) -> [String] {
    if isCurrent { return ["the store has this version of the model already"] }
    var lines = entities.flatMap { self.lines($0, isCounted, countsReferences) }
    lines += issues.map { "impossible: \($0)" }
    lines += questions.map { "question: \($0)" }
    return lines
  }

  private func lines(_ entity: Entity, _ isCounted: Bool, _ countsReferences: Bool) -> [String] {
    let objects = isCounted ? "with \(entity.objectCount.counted("object"))" : "with its objects"
    let head: String? =
      switch entity.change {
      case .added: "entity \(entity.name) is new"
      case .dropped:
        entities.contains {
          ![.added, .dropped].contains($0.change) && ($0.formerName ?? $0.name) == entity.name
        }
          ? "\(entity.objectCount.counted("object")) of \(entity.name)"
            + " \(entity.objectCount == 1 ? "is" : "are") dropped"
          : "entity \(entity.name) is dropped \(objects)"
      case .renamed, .converted:
        "entity \(entity.formerName ?? entity.name) is now \(entity.name), \(objects)"
      case .unchanged: nil
      }
    if entity.change == .added { return [head].compactMap { $0 } }
    return [head].compactMap { $0 } + entity.properties.compactMap { line($0, entity.name, countsReferences) }
  }

  private func line(_ property: Property, _ entity: String, _ countsReferences: Bool) -> String? {
    var parts: [String] = []
    if property.change == .added { parts.append("is new: \(property.type)") }
    if property.change == .dropped { parts.append("is dropped") }
    if let former = property.formerName { parts.append("was called \(former)") }
    if let former = property.formerType { parts.append("was \(former) and is \(property.type)") }
    if property.defaultedCount > 0 {
      parts.append("\(property.defaultedCount.counted("object", "gets", "get")) its default")
    }
    if property.droppedCount > 0 {
      let what = property.isRelationship ? "reference" : "value"
      parts.append("\(property.droppedCount.counted(what, "is", "are")) dropped")
    }
    if property.droppedOrderCount > 0 {
      let objects = property.droppedOrderCount.counted("object")
      parts.append("its order is dropped in \(objects)")
    } else if property.losesOrder, !countsReferences {
      parts.append("its order is dropped")
    }
    return parts.isEmpty ? nil : "\(entity).\(property.name) \(parts.joined(separator: ", "))"
  }
}
