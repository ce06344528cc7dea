import ObjectModel
import ObjectQuery
import StoreContract

/// Resolves violations of uniqueness constraints, as the merge policy decides.
extension ConflictResolver {
  /// Two objects with the same unique values.
  private struct Pair {
    let object: ManagedObject
    /// The object that has the values already: a stored one, or one that was inserted earlier.
    let holder: ManagedObject
    /// Whether the holder was not registered before this search.
    let isHolderFresh: Bool
    let constraint: UniquenessConstraint
  }

  func resolveUniqueness(_ error: StoreError) throws {
    let pairs = try pairs()
    let conflicts = try pairs.map(conflict)
    let resolutions = try conflicts.map { try mergePolicy.resolve($0) }
    func refused() -> ContextError {
      let names = Set(
        pairs.map { "\($0.object.entity.name).\($0.constraint.propertyNames.joined(separator: ","))" })
      let shown =
        names.isEmpty
        ? error.message : "other objects have the same value of \(names.sorted().joined(separator: "; "))"
      return ContextError(
        .notUnique,
        "nothing was saved: \(shown); change the values, delete the other objects, or choose a merge policy",
        conflicts: conflicts, cause: error)
    }
    if pairs.isEmpty { throw refused() }
    for (pair, resolution) in zip(pairs, resolutions) {
      switch resolution {
      case .refuse: throw refused()
      case .mergeByPropertyObjectTrump, .overwrite, .values:
        // Neither of two stored objects is deleted without a request.
        if !pair.object.isInserted { throw refused() }
      default: break
      }
    }
    // An object whose unique values are reverted no longer has the values of other objects, so
    // the next attempt searches for the objects to merge with it again.
    let reverted = Set(pairs.filter { !$0.object.isInserted }.map { ObjectIdentifier($0.object) })
    let merge = UniquenessMerge(
      graph,
      zip(pairs, resolutions).compactMap { pair, resolution in
        guard pair.object.isInserted, !reverted.contains(ObjectIdentifier(pair.holder)) else { return nil }
        return UniquenessMerge.Item(pair.object, into: pair.holder, pair.isHolderFresh, resolution)
      })
    if !merge.isPossible { throw refused() }
    beginMerging()
    tracker.didChange()
    for (pair, resolution) in zip(pairs, resolutions) where !pair.object.isInserted {
      try revert(pair, resolution)
    }
    try merge.run()
    tracker.sweep()
    for (root, successors) in merge.successors.byRoot {
      // The successor of an object in an earlier attempt may have been merged now.
      let earlier = graph.saveMerging?.successors[root]?.mapValues { successors[$0] ?? $0 }
      graph.saveMerging?.successors[root] = successors.merging(earlier ?? [:]) { $1 }
    }
  }

  /// The pairs of objects that violate a constraint.
  ///
  /// This takes one statement for each constraint, or, if the constraint has several properties,
  /// one for each hundred combinations of values.
  private func pairs() throws -> [Pair] {
    var result: [Pair] = []
    var seen: Set<ObjectIdentifier> = []
    for (entity, constraint, objects) in try concerned() {
      let properties = constraint.propertyNames.compactMap { entity.property(named: $0) }
      var holders: [[AttributeValue]: ManagedObject] = [:]
      var waiting: [([AttributeValue], ManagedObject)] = []
      var fresh: Set<ObjectIdentifier> = []
      for object in objects {
        let key = try properties.map { try object.slotValue($0) }
        if !key.contains(.null) { waiting.append((key, object)) }
      }
      for node in try stored(entity, properties, waiting.map(\.0)) {
        let known = registry.object(node.entity, node.reference)
        let object = known ?? graph.make(node.storeEntity, node.reference, node, nil)
        if known == nil { fresh.insert(ObjectIdentifier(object)) } else { graph.fetching.adopt(node, object) }
        if object.isDeleted { continue }
        let key = try properties.map { try object.slotValue($0) }
        // The row of another object may have the changed values of this one, which is in `objects`.
        if object.hasChanges, key != properties.map({ node.value(of: $0) }) { continue }
        holders[key] = object
      }
      // Stored objects come before new ones.
      for (key, object) in waiting.filter({ !$0.1.isInserted }) + waiting.filter({ $0.1.isInserted }) {
        guard let holder = holders[key] else {
          holders[key] = object
          continue
        }
        if holder === object || !object.hasChanges { continue }
        if seen.insert(ObjectIdentifier(object)).inserted {
          let isFresh = fresh.remove(ObjectIdentifier(holder)) != nil
          result.append(
            Pair(object: object, holder: holder, isHolderFresh: isFresh, constraint: constraint))
        }
      }
    }
    return result
  }

  /// Every constraint with its topmost entity and the new and changed objects that it applies to.
  private func concerned() throws -> [(EntityDescription, UniquenessConstraint, [ManagedObject])] {
    var result: [(EntityDescription, UniquenessConstraint, [ManagedObject])] = []
    for object in tracker.inserted + tracker.updatedToSave {
      for constraint in object.entity.uniquenessConstraints {
        var entity = object.entity
        while let above = entity.superentity, above.uniquenessConstraints.contains(constraint) {
          entity = above
        }
        if let place = result.firstIndex(where: { $0.0 === entity && $0.1 == constraint }) {
          result[place].2.append(object)
        } else {
          result.append((entity, constraint, [object]))
        }
      }
    }
    return result
  }

  /// The stored rows that have one of the combinations of values.
  private func stored(
    _ entity: EntityDescription, _ properties: [PropertyDescription], _ keys: [[AttributeValue]]
  ) throws -> [IncrementalStoreNode] {
    let keys = Array(Set(keys))
    if keys.isEmpty { return [] }
    var predicates: [FetchPredicate] = []
    if properties.count == 1 {
      let values = keys.map { FetchExpression.value($0[0]) }
      predicates = [.comparison(FetchComparison(.keyPath([properties[0].name]), .in, .list(values)))]
    } else {
      for start in stride(from: 0, to: keys.count, by: 100) {
        predicates.append(
          .or(
            keys[start..<min(start + 100, keys.count)].map { key in
              .and(
                zip(properties, key).map { property, value in
                  .comparison(FetchComparison(.keyPath([property.name]), .equal, .value(value)))
                })
            }))
      }
    }
    return try predicates.flatMap {
      try persistentStoreCoordinator.fetchNodes(FetchRequest(entity.name, where: $0))
    }
  }

  private func conflict(_ pair: Pair) throws -> MergeConflict {
    MergeConflict(
      objectID: pair.object.objectID, objectSnapshot: try pair.object.presentValues(),
      cachedSnapshot: pair.object.isInserted ? nil : try pair.object.committedValues(),
      persistedSnapshot: try pair.holder.presentValues(), cachedVersion: pair.object.node?.version ?? 0,
      persistedVersion: pair.holder.node?.version ?? 0, isDeletion: false,
      constraint: pair.constraint.propertyNames, otherObjectID: pair.holder.objectID)
  }

  /// Reverts the unique values of a changed stored object, or all its changes, to the stored ones.
  private func revert(_ pair: Pair, _ resolution: MergeResolution) throws {
    let object = pair.object
    if case .rollback = resolution {
      try graph.relationships.drop(object)
    } else {
      for property in object.entity.properties where pair.constraint.propertyNames.contains(property.name) {
        try unset(property, of: object)
      }
    }
    object.changes = object.changes
    object.awakeFromSnapshotEvents(.mergePolicy)
    notifications.record(.refreshed, object)
  }
}
