package import ObjectModel

extension FetchRequest {
  /// Attributes without an index that would help a store to find the request's objects, each once.
  package struct MissingIndexes {
    /// Those that are compared in a way an index serves, or sorted by first: those compared for equality
    /// first, since they leave the fewest rows.
    package var compared: [AttributeDescription] = []
    /// Those whose words are searched for.
    package var searched: [AttributeDescription] = []
  }

  /// The indexes that the model lacks for the request.
  package func missingIndexes(of entity: EntityDescription) -> MissingIndexes {
    var missing = MissingIndexes()
    var others: [AttributeDescription] = []
    for part in predicate?.conjuncts ?? [] {
      guard case .comparison(let comparison) = part, comparison.modifier == .direct, !comparison.options.folds
      else { continue }
      let names = [comparison.left, comparison.right].compactMap(\.keyPathNames)
      switch comparison.operator {
      case .search: missing.searched += names.compactMap { entity.attributeWithoutWordIndex($0) }
      case .equal, .in: missing.compared += names.compactMap { entity.attributeWithoutIndex($0) }
      case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
        others += names.compactMap { entity.attributeWithoutIndex($0) }
      default: continue
      }
    }
    if let first = sortDescriptors.first, !first.options.folds, first.comparator == .scalars,
      first.keyPath.count == 1, let attribute = entity.attributeWithoutIndex(first.keyPath)
    {
      others.append(attribute)
    }
    missing.compared = (missing.compared + others).eachOnce
    missing.searched = missing.searched.eachOnce
    return missing
  }
}

extension [AttributeDescription] {
  fileprivate var eachOnce: [AttributeDescription] {
    var seen: Set<AttributeDescription> = []
    return filter { seen.insert($0).inserted }
  }
}

extension FetchExpression {
  fileprivate var keyPathNames: [String]? { if case .keyPath(let names) = self { names } else { nil } }
}

extension EntityDescription {
  /// The attribute of a name, if it has no full-text index.
  fileprivate func attributeWithoutWordIndex(_ names: [String]) -> AttributeDescription? {
    guard names.count == 1, let attribute = attribute(named: names[0]), attribute.type == .string else {
      return nil
    }
    let isIndexed = attribute.entity.fetchIndexes.contains { index in
      guard case .fullText(let attributes) = FetchIndexForm(index, of: attribute.entity) else { return false }
      return attributes.contains(attribute)
    }
    return isIndexed ? nil : attribute
  }

  /// The attribute at the end of a path of to-ones, whose columns have indexes, if it has none.
  fileprivate func attributeWithoutIndex(_ names: [String]) -> AttributeDescription? {
    var entity = self
    for name in names.dropLast() {
      guard let toOne = entity.relationship(named: name), !toOne.isToMany, !toOne.isTransient else {
        return nil
      }
      entity = toOne.destination
    }
    guard let name = names.last, let attribute = entity.attribute(named: name), !attribute.isTransient,
      !attribute.declaration.isIndexed,
      !entity.uniquenessConstraints.contains(where: { $0.propertyNames.first == name })
    else { return nil }
    var holder: EntityDescription? = entity
    while let current = holder {
      if current.fetchIndexes.contains(where: { $0.elements.first?.propertyName == name }) { return nil }
      holder = current.superentity
    }
    return attribute
  }
}
