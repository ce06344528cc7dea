/// Looks for sealed attributes whose values a store could not seal, or that other properties of the model
/// would show or need.
enum SealingCheck {
  /// What is wrong with an attribute of an entity; nil where nothing is.
  static func obstacle(_ attribute: Attribute) -> String? {
    guard let wanted = attribute.userInfo[Attribute.sealingKey] else { return nil }
    guard let sealing = attribute.sealing else {
      return "its \(Attribute.sealingKey) is \(wanted.debugDescription); write full or equality"
    }
    if attribute.isTransient { return "a transient attribute is not stored, so it is not sealed; choose one" }
    if attribute.derivationExpression != nil {
      return "a store computes derived attributes, so they are not sealed; remove one of the two"
    }
    if sealing == .full, attribute.isIndexed {
      return "no condition can use an index of values that are sealed in full; remove the index, or seal with"
        + " equality"
    }
    if sealing == .equality, [.composite, .transformable, .undefined].contains(attribute.type) {
      return "values of type \(attribute.type.rawValue) have no one form to be compared by; seal it in full"
    }
    return nil
  }

  /// What is wrong with an attribute in a uniqueness constraint; nil where nothing is.
  static func obstacleToUniqueness(_ attribute: Attribute) -> String? {
    attribute.sealing == .full
      ? "a uniqueness constraint names it, and its values are sealed in full; seal it with equality" : nil
  }

  /// What is wrong with an attribute in an index; nil where nothing is.
  static func obstacle(_ attribute: Attribute, in element: FetchIndexElement, of index: String) -> String? {
    guard let sealing = attribute.sealing else { return nil }
    if element.isRTree || element.isFullText {
      return "the index \(index) has ranges or words of it, and its values are sealed; remove it there"
    }
    return sealing == .full
      ? "the index \(index) names it, and its values are sealed in full; seal it with equality" : nil
  }

  /// The attributes that another one is derived from, though they are sealed.
  static func derivationIssues(_ entities: [EntityDescription]) -> [ModelIssue] {
    entities.flatMap { entity in
      entity.attributes.compactMap { attribute in
        guard attribute.entity === entity, let source = attribute.derivation?.source, source.sealing != nil
        else { return nil }
        return ModelIssue(
          .wrongSealing, source.entity.name, source.name,
          "\(entity.name).\(attribute.name) is derived from it and would show its values; remove one of them"
        )
      }
    }
  }
}

extension Derivation {
  /// The attribute whose values are read.
  fileprivate var source: AttributeDescription? {
    switch self {
    case .copy(_, let source, _), .sum(_, let source): source
    case .now, .count: nil
    }
  }
}
