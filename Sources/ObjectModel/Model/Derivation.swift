/// How a derived attribute is computed, after Core Data's derivation expressions: a property of the
/// object or of a to-one's destination, folded or unchanged; the time of saving; the number of a
/// to-many's objects, or a sum over them.
public enum Derivation: Sendable, Hashable {
  /// What is done to a text.
  public enum Folding: String, Sendable, Hashable, CaseIterable {
    /// Without marks and case.
    case canonical
    /// In upper case.
    case uppercase
    /// In lower case.
    case lowercase
  }

  /// `now()`: the time of the last save that changed the object.
  case now
  /// `name`, `author.name`, `canonical:(author.name)`.
  case copy(through: RelationshipDescription?, AttributeDescription, Folding?)
  /// `books.@count`
  case count(RelationshipDescription)
  /// `books.@sum.price`
  case sum(RelationshipDescription, AttributeDescription)

  /// Reads an expression; nil when it is none that can be computed, or does not fit the attribute.
  init?(of attribute: AttributeDescription, in entity: EntityDescription) {
    guard let text = attribute.declaration.derivationExpression?.filter({ !$0.isWhitespace }),
      !attribute.isTransient, let derivation = Self.read(text, entity), derivation.fits(attribute)
    else { return nil }
    self = derivation
  }

  private static func read(_ text: String, _ entity: EntityDescription) -> Derivation? {
    if text == "now()" { return .now }
    for folding in Folding.allCases where text.hasPrefix("\(folding.rawValue):(") && text.hasSuffix(")") {
      let path = text.dropFirst(folding.rawValue.count + 2).dropLast()
      guard case .copy(let step, let source, nil)? = read(String(path), entity) else { return nil }
      return .copy(through: step, source, folding)
    }
    let names = text.keyPathNames(keepingEmpty: true)
    if names.count == 1 { return stored(names[0], of: entity).map { .copy(through: nil, $0, nil) } }
    guard let relationship = entity.relationship(named: names[0]), !relationship.isTransient else {
      return nil
    }
    let destination = relationship.destination
    switch (relationship.isToMany, names.count) {
    case (false, 2): return stored(names[1], of: destination).map { .copy(through: relationship, $0, nil) }
    case (true, 2) where names[1] == "@count": return .count(relationship)
    case (true, 3) where names[1] == "@sum" || names[2] == "@sum":
      return stored(names[1] == "@sum" ? names[2] : names[1], of: destination).map { .sum(relationship, $0) }
    default: return nil
    }
  }

  /// What is itself derived is left out, so that no order of computing matters.
  private static func stored(_ name: String, of entity: EntityDescription) -> AttributeDescription? {
    entity.attribute(named: name).flatMap {
      $0.isTransient || $0.declaration.derivationExpression != nil ? nil : $0
    }
  }

  private func fits(_ attribute: AttributeDescription) -> Bool {
    switch self {
    case .now: attribute.type == .date
    case .copy(_, let source, nil): source.type == attribute.type
    case .copy(_, let source, _): source.type == .string && attribute.type == .string
    case .count: attribute.type.isInteger
    case .sum(_, let source):
      source.type.isInteger && (attribute.type.isInteger || attribute.type == .double)
        || (source.type == .double || source.type == .float) && attribute.type == .double
    }
  }

  /// The relationship that is followed.
  public var relationship: RelationshipDescription? {
    switch self {
    case .now: nil
    case .copy(let step, _, _): step
    case .count(let relationship), .sum(let relationship, _): relationship
    }
  }
}
