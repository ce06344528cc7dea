/// What a fetch index becomes.
package enum FetchIndexForm: Sendable {
  /// A B-tree.
  case plain
  /// A table of words.
  case fullText([AttributeDescription])
  /// A table of boxes.
  case rTree([AttributeDescription])

  /// The greatest number of attributes of an R-tree, which is SQLite's.
  static let mostDimensions = 5

  /// An index of an entity.
  ///
  /// One that cannot be of the form it declares is plain.
  package init(_ index: FetchIndex, of entity: EntityDescription) {
    let attributes = index.elements.compactMap { $0.propertyName.flatMap(entity.attribute(named:)) }
    guard !attributes.isEmpty, attributes.count == index.elements.count,
      !attributes.contains(where: \.isTransient)
    else {
      self = .plain
      return
    }
    if index.elements.allSatisfy(\.isFullText), attributes.allSatisfy({ $0.type == .string }) {
      self = .fullText(attributes)
    } else if index.elements.allSatisfy(\.isRTree), attributes.count <= Self.mostDimensions,
      attributes.allSatisfy({ $0.type.isInteger || [.double, .float, .date].contains($0.type) })
    {
      self = .rTree(attributes)
    } else {
      self = .plain
    }
  }
}
