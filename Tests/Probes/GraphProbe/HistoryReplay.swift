import Strongroom

/// What a history with values says that its store has.
///
/// Links that vanish with the object at their other end are in no history, so a deletion takes them away.
struct HistoryReplay {
  /// An object as the history has it.
  struct Thing {
    let entity: EntityDescription
    var attributes: [String: AttributeValue] = [:]
    var toOnes: [String: ManagedObjectID] = [:]
    /// Those that are stored in a join table; without an order where the relationship has none.
    var toManys: [String: [ManagedObjectID]] = [:]
  }

  private(set) var things: [ManagedObjectID: Thing] = [:]
  private(set) var transactionCount = 0
  private var token: PersistentHistoryToken?
  private static let page = 500

  /// Takes in what was saved since the last call.
  mutating func catchUp(_ context: ManagedObjectContext) throws {
    while true {
      var request = PersistentHistoryChangeRequest.fetchHistory(after: token)
      request.fetchLimit = Self.page
      let transactions = try context.execute(request).transactions
      for transaction in transactions {
        transactionCount += 1
        if transaction.transactionNumber != transactionCount {
          throw Difference(
            history: "transaction \(transactionCount) is missing before \(transaction.transactionNumber)")
        }
        try apply(transaction)
      }
      guard let last = transactions.last else { return }
      token = last.token
    }
  }

  private mutating func apply(_ transaction: PersistentHistoryTransaction) throws {
    let changes = transaction.changes ?? []
    func failure(_ change: PersistentHistoryChange, _ what: String) -> Difference {
      Difference(
        history: "transaction \(transaction.transactionNumber), \(change.changeType) of"
          + " \(change.changedObjectID): \(what)")
    }
    for change in changes where change.changeType == .insert {
      let id = change.changedObjectID
      if things[id] != nil { throw failure(change, "it is there already") }
      things[id] = Thing(entity: id.entity)
      set(change.newValues ?? [:], of: id)
    }
    // An object may be updated by more than one change, each with all of its values.
    var updated: Set<ManagedObjectID> = []
    for change in changes where change.changeType == .update {
      let id = change.changedObjectID
      guard things[id] != nil else { throw failure(change, "it is not there") }
      guard updated.insert(id).inserted else { continue }
      if let text = different(change.oldValues ?? [:], id) { throw failure(change, text) }
      if let text = unpaired(change) { throw failure(change, text) }
      remove(change.oldValues ?? [:], of: id)
      set(change.newValues ?? [:], of: id)
    }
    for change in changes where change.changeType == .delete {
      let id = change.changedObjectID
      guard things[id] != nil else { throw failure(change, "it is not there") }
      if updated.insert(id).inserted, let text = different(change.oldValues ?? [:], id) {
        throw failure(change, text)
      }
      things[id] = nil
    }
    let deleted = Set(changes.filter { $0.changeType == .delete }.map(\.changedObjectID))
    if !deleted.isEmpty { removeLinks(to: deleted) }
  }

  /// The old values of a change must be those that the changes before it left.
  ///
  /// A to-one that leads to an object of the same transaction's deletions may have been cleared by it.
  private func different(_ old: [String: PersistentHistoryValue], _ id: ManagedObjectID) -> String? {
    guard let thing = things[id] else { return nil }
    for (name, value) in old {
      switch value {
      case .attribute(let value):
        if thing.attributes[name] != value {
          return "\(name) was \(value), and before \(thing.attributes[name] ?? .null)"
        }
      case .object(let value):
        if thing.toOnes[name] != value {
          return "\(name) led to \(value as Any), and before to \(thing.toOnes[name] as Any)"
        }
      case .objects(let values):
        guard thing.entity.relationship(named: name)?.isOrdered == true else { continue }
        if thing.toManys[name] ?? [] != values {
          return "\(name) was \(values), and before \(thing.toManys[name] ?? [])"
        }
      }
    }
    return nil
  }

  /// An update has an old value for each new one, except of links that were only added.
  private func unpaired(_ change: PersistentHistoryChange) -> String? {
    func names(_ values: [String: PersistentHistoryValue]?) -> Set<String> {
      Set((values ?? [:]).filter { if case .objects = $0.value { false } else { true } }.keys)
    }
    let (old, new) = (names(change.oldValues), names(change.newValues))
    return old == new ? nil : "values before of \(old.sorted()), after of \(new.sorted())"
  }

  private mutating func remove(_ old: [String: PersistentHistoryValue], of id: ManagedObjectID) {
    for (name, value) in old {
      guard case .objects(let links) = value else { continue }
      let left = Set(links)
      things[id]?.toManys[name]?.removeAll { left.contains($0) }
    }
  }

  private mutating func set(_ new: [String: PersistentHistoryValue], of id: ManagedObjectID) {
    for (name, value) in new {
      switch value {
      case .attribute(let value): things[id]?.attributes[name] = value
      case .object(let destination): things[id]?.toOnes[name] = destination
      case .objects(let links):
        if id.entity.relationship(named: name)?.isOrdered == true {
          things[id]?.toManys[name] = links
        } else {
          let known = Set(things[id]?.toManys[name] ?? [])
          things[id]?.toManys[name, default: []] += links.filter { !known.contains($0) }
        }
      }
    }
  }

  private mutating func removeLinks(to deleted: Set<ManagedObjectID>) {
    for (id, thing) in things {
      for (name, links) in thing.toManys where links.contains(where: deleted.contains) {
        things[id]?.toManys[name] = links.filter { !deleted.contains($0) }
      }
    }
  }

  /// What one end of a link says, the other must say as well.
  func checkEnds() throws {
    for (id, thing) in things {
      for relationship in thing.entity.relationships {
        for destination in destinations(relationship, thing) {
          guard let other = things[destination] else {
            throw Difference(
              history: "\(id).\(relationship.name) leads to \(destination), which is not there")
          }
          guard let inverse = relationship.inverse, !inverse.isToMany || inverse.isInJoinTable else {
            continue
          }
          if !destinations(inverse, other).contains(id) {
            throw Difference(
              history: "\(id).\(relationship.name) leads to \(destination), whose \(inverse.name) does not"
                + " lead back")
          }
        }
      }
    }
  }

  private func destinations(_ relationship: RelationshipDescription, _ thing: Thing) -> [ManagedObjectID] {
    if relationship.isToMany { return thing.toManys[relationship.name] ?? [] }
    return thing.toOnes[relationship.name].map { [$0] } ?? []
  }
}

extension RelationshipDescription {
  /// Whether a to-many's links are rows of their own, which the history has at this end.
  var isInJoinTable: Bool { isToMany && (isOrdered || inverse?.isToMany != false) }
}
