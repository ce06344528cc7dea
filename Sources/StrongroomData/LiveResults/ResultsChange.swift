import ObjectContext

/// One thing that happened to a list of live models.
///
/// Old indexes count in the list before all of the changes, new indexes in the list after them.
/// Deletions come first, from the end of the list; then insertions, moves and updates, each from
/// its start.
public enum ResultsChange<Model: PersistentModel> {
  /// A model appeared.
  case insert(Model, at: Int)
  /// A model vanished.
  case delete(PersistentIdentifier, from: Int)
  /// A model changed and stands elsewhere.
  case move(Model, from: Int, to: Int)
  /// A model changed and stands where it stood among the others.
  case update(Model, at: Int)
}

extension ResultsChange {
  /// There is one section, which is not reported.
  init?(_ change: FetchedResultsChange<ModelObject>) {
    switch change {
    case .insert(let object, let place): self = .insert(object.shown(as: Model.self), at: place.item)
    case .delete(let object, let place):
      self = .delete(PersistentIdentifier(object.objectID), from: place.item)
    case .move(let object, let from, let to):
      self = .move(object.shown(as: Model.self), from: from.item, to: to.item)
    case .update(let object, let place): self = .update(object.shown(as: Model.self), at: place.item)
    case .insertSection, .deleteSection: return nil
    }
  }

  /// What another descriptor changes: where the order of what stays is another one, all goes and comes.
  static func changes(
    from old: [ModelObject], to new: [ModelObject]
  ) -> [ResultsChange] {
    let (before, after) = (Set(old.map(ObjectIdentifier.init)), Set(new.map(ObjectIdentifier.init)))
    var stays = before.intersection(after)
    func staying(_ objects: [ModelObject]) -> [ModelObject] {
      objects.filter { stays.contains(ObjectIdentifier($0)) }
    }
    if !staying(old).elementsEqual(staying(new), by: ===) { stays = [] }
    var changes: [ResultsChange] = []
    for (place, object) in old.enumerated().reversed() where !stays.contains(ObjectIdentifier(object)) {
      changes.append(.delete(PersistentIdentifier(object.objectID), from: place))
    }
    for (place, object) in new.enumerated() where !stays.contains(ObjectIdentifier(object)) {
      changes.append(.insert(object.shown(as: Model.self), at: place))
    }
    return changes
  }
}
